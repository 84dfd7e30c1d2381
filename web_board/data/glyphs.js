// The characters of our pieces as SVG paths, made by build/board_glyphs.py. The unit is a 500th of the text's size, the
// origin is the middle of the character.
const answer = await fetch("glyphs.json");
export const GLYPHS = await answer.json();
