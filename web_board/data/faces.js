// What is drawn on pieces.

// The characters of our pieces as SVG paths, made by build/board_glyphs.py. The unit is a 500th of the text's size, the
// origin is the middle of the character.
const answer = await fetch("glyphs.json");
export const GLYPHS = await answer.json();

// Our own drawings of pieces for people who do not read Chinese: SVG paths around the middle, a piece is 500 wide.
// The names are the letters of the games' pieces.
export const SYMBOLS = {
  // Xiangqi: king (a crown), advisor (an official's cap), elephant, horse, rook, cannon, pawn
  K: "M-20-205h40v35h35v38h-35v42l78-50c60-30 102 20 76 74l-64 126h-220l-64-126c-26-54 16-104 76-74l78 50v-42h-35v-38h35zM-110 155h220v40h-220z",
  A: "M-95 10c0-125 40-180 95-180s95 55 95 180zM-205 35h410v45h-410zM-105 100h210v75h-210z",
  E: "M-85-150c-85-35-135 25-125 100s65 110 120 85c5 70 15 140 90 140s85-45 85-90h-42c0 30-12 48-36 48s-32-25-32-63h25c30 0 70-5 90-35 55 25 110-10 120-85s-40-135-125-100c-50-30-120-30-170 0zM-45-55a17 17 0 1 0 1 0zM45-55a17 17 0 1 0 1 0z",
  H: "M-120 185c-10-105 80-120 75-195l-70 45-55 10-25-60 105-105 10-70 55 45c125 15 185 130 170 330zM-35-88a16 16 0 1 0 1 0z",
  R: "M-150-180h75v50h40v-50h70v50h40v-50h75v115l-45 35v105h-210v-105l-45-35zM-140 95h280v85h-280z",
  C: "M-205-75l275-112 44 107-262 106zM128-196l56-23 34 82-56 23zM-70 45a82 82 0 1 0 1 0zM-70 92a35 35 0 1 1-1 0zM45 150h160v50h-185z",
  P: "M0-180a78 78 0 0 1 48 140h52v42h-55c5 60 30 100 75 130v48h-240v-48c45-30 70-70 75-130h-55v-42h52a78 78 0 0 1 48-140z",
  // Junqi: bomb, mine, flag
  B: "M-30-70a130 130 0 1 0 60 0v-45c20-50 55-50 75-15l42-22c-40-80-160-70-177 42z",
  M: "M-18-190h36v55a125 125 0 0 1 52 22l40-40 26 26-40 40a125 125 0 0 1 22 69h72v36h-72a125 125 0 0 1-22 69l40 40-26 26-40-40a125 125 0 0 1-52 22v55h-36v-55a125 125 0 0 1-52-22l-40 40-26-26 40-40a125 125 0 0 1-22-69h-72v-36h72a125 125 0 0 1 22-69l-40-40 26-26 40 40a125 125 0 0 1 52-22z",
  F: "M-120-190h40v30l215 75-215 85v190h-40z",
};
