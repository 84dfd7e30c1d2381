// The words of the page in Chinese, by the English ones; and the sentences of the server, by patterns.
export const CHINESE = {
  // Header and dialogs
  "New game": "新局", "Open": "打开", "Save": "保存", "Settings": "设置", "Close": "关闭", "Begin": "开始", "Cancel": "取消",
  "Connection lost. Trying again …": "连接已断开，正在重连……", "Game": "棋种", "Players": "棋手", "Options": "选项",
  "Language": "语言", "Colours": "配色", "as the system": "跟随系统", "light": "浅色", "dark": "深色", "Contrast": "对比度",
  "usual": "普通", "high": "高", "Sounds": "声音", "Show where a piece can go": "显示可走的点", "Pieces": "棋子",
  "Chinese": "汉字", "Western": "图形", "both": "两者", "Coordinates": "坐标", "Numbers on the stones": "棋子上显示手数",
  "a person": "人", "{0}: player": "{0}：棋手", "{0}: level": "{0}：级别", "level {0}": "级别 {0}", "Level": "级别", "full": "最强",
  "Your guess for {0}": "猜测 {0} 的棋子", "No guess": "取消标记", "Save the game": "保存对局", "Format": "格式",
  // The game
  "Undo": "悔棋", "Hint": "提示", "Pass": "停一手", "Draw": "求和", "Resign": "认输", "Really?": "确定？", "Flip": "翻转", "Zoom": "放大",
  "Thinking …": "思考中……", "Type a move": "输入着法", "Play": "走棋", "Moves": "着法", "No move yet.": "还没有走棋。", "Notation": "记谱",
  "To the start": "回到开局", "One move back": "上一步", "One move forward": "下一步", "To the last move": "最后一步",
  "After {0} of {1} moves.": "第 {0} 步，共 {1} 步。", "Your turn: {0}.": "轮到你走：{0}。", "{0} thinks …": "{0}在思考……", "{0} to move.": "轮到{0}走。",
  "Check!": "将军！", "The game is over.": "对局已结束。", "It is not your turn.": "还没轮到你。", "There is no piece of yours on {0}.": "{0} 上没有你的棋子。",
  "Copied.": "已复制。", "This browser does not let the page copy.": "浏览器不允许复制。", "Hint: {0}": "提示：{0}", "Taken back to move {0}.": "已退回到第 {0} 步。",
  "thinks …": "思考中……", "to move": "走棋", "out": "已出局", "you": "你", "person": "人", "can go here": "可以走到这里", "forbidden: {0}": "禁手：{0}",
  "Board": "棋盘",
  // Sides and pieces
  "red": "红方", "black": "黑方", "white": "白方", "seat 0": "0 号位", "seat 1": "1 号位", "seat 2": "2 号位", "seat 3": "3 号位",
  "king": "将帅", "advisor": "士", "elephant": "象", "horse": "马", "rook": "车", "cannon": "炮", "pawn": "兵卒", "stone": "棋子",
  // Games and their options
  "Xiangqi": "象棋", "Gomoku": "五子棋", "Junqi": "军棋", "xiangqi": "象棋", "gomoku": "五子棋", "junqi": "军棋", "siguo": "四国军棋", "duel": "双人军棋",
  "freestyle": "无禁手", "standard": "标准", "exactly five": "正好五子", "renju": "连珠", "caro": "卡罗", "rule": "规则", "size": "棋盘", "variant": "玩法",
  "chinese": "中文", "ucci": "坐标", "letters": "字母", "gomocup": "数字", "squares": "坐标", "numerals": "汉字数字", "none": "无",
};

export const CHINESE_SENTENCES = [
  [/^it is not your turn$/i, "还没轮到你"],
  [/^the game is over$/i, "对局已结束"],
  [/^there is no move of yours to take back$/i, "没有可以悔的棋"],
  [/^there is no move to hint at$/i, "现在没有提示"],
  [/^(.*): the leg is blocked.*$/i, "$1：蹩马腿"],
  [/^(.*): the eye is blocked.*$/i, "$1：塞象眼"],
  [/^(.*) is not empty$/i, "$1 已有棋子"],
  [/^(.*) is forbidden to \w+: .*\((.*)\)$/i, "$1 是禁手（$2）"],
];
