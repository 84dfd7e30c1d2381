// Short sounds, made by WebAudio.
let audio = null;

// Browsers allow sound only after the person has acted.
function ready() {
  if (!audio && "AudioContext" in window && navigator.userActivation?.hasBeenActive) audio = new AudioContext();
  return audio;
}

function tone(frequency, start, length, volume, type) {
  const wave = audio.createOscillator(), gain = audio.createGain(), at = audio.currentTime + start;
  wave.type = type;
  wave.frequency.setValueAtTime(frequency, at);
  gain.gain.setValueAtTime(volume, at);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + length);
  wave.connect(gain).connect(audio.destination);
  wave.start(at);
  wave.stop(at + length);
}

const SOUNDS = {
  move: () => { tone(240, 0, 0.07, 0.35, "triangle"); tone(120, 0, 0.05, 0.3, "sine"); },
  take: () => { tone(180, 0, 0.09, 0.4, "square"); tone(320, 0.03, 0.07, 0.25, "triangle"); },
  check: () => { tone(520, 0, 0.1, 0.3, "triangle"); tone(660, 0.1, 0.14, 0.3, "triangle"); },
  refused: () => tone(110, 0, 0.18, 0.25, "sawtooth"),
  end: () => [392, 494, 587].forEach((frequency, at) => tone(frequency, at * 0.14, 0.3, 0.25, "triangle")),
};

export function sound(name) {
  if (ready()) SOUNDS[name]();
}
