import type { TimedWord } from './utterance.ts'

/** Milliseconds of one step in which sound is told from silence. */
const stepMs = 20
/** Root mean square above which a step is sound. */
const minRms = 200

/**
 * Times of words for a synthesizer that does not state any: the characters are spread evenly over the steps with sound.
 * The error of a word is less than its clause; the last word ends with the last sound.
 *
 * @param pcm the audio of the text
 */
export function spreadWords(text: string, pcm: Int16Array, sampleRate: number): TimedWord[] {
  const words = text.split(/\s+/).filter(Boolean)
  const voiced = voicedSteps(pcm, sampleRate)
  const total = words.reduce((sum, word) => sum + word.length, 0)
  let before = 0
  return words.map((word) => {
    before += word.length
    const step = voiced[Math.ceil((before / total) * voiced.length) - 1]
    const endMs = step === undefined ? (before / total) * (pcm.length / sampleRate) * 1000 : (step + 1) * stepMs
    return { text: word, endMs: Math.min(endMs, (pcm.length / sampleRate) * 1000) }
  })
}

/** Numbers of the steps that have sound. */
function voicedSteps(pcm: Int16Array, sampleRate: number): number[] {
  const samples = Math.round((stepMs * sampleRate) / 1000)
  const voiced: number[] = []
  for (let step = 0; step * samples < pcm.length; step++) {
    const part = pcm.subarray(step * samples, (step + 1) * samples)
    const power = part.reduce((sum, sample) => sum + sample * sample, 0) / part.length
    if (power >= minRms ** 2) voiced.push(step)
  }
  return voiced
}
