/** A converter of the sample rate of one stream. */
export interface Resampler {
  /**
   * Converts the next samples. How a stream is cut into pieces does not change what comes out.
   *
   * @returns as many samples as the input allows; the last `delayMs` of the input come out with later pieces
   */
  push(pcm: Int16Array): Int16Array
  /** How much later a sound is in the output than in the input. */
  readonly delayMs: number
}

/** Length of the filter in periods of the lower of both rates; more make its edge steeper. */
const filterPeriods = 48
/** The edge of the filter as a share of half of the lower rate. */
const passedShare = 0.93
/** Shape of the window: attenuates what is filtered out by about 70 dB. */
const kaiserBeta = 7

/**
 * A polyphase filter with a windowed sinc, so that nothing above half of the lower rate comes out as another sound.
 *
 * @param from sample rate of the input in hertz, an integer
 * @param to sample rate of the output in hertz, an integer
 */
export function createResampler(from: number, to: number): Resampler {
  if (from === to) return { push: (pcm) => pcm.slice(), delayMs: 0 }
  const divisor = greatestCommonDivisor(from, to)
  const up = to / divisor
  const down = from / divisor
  const filter = filterOf(up, down)
  const taps = filter.length / up
  let history = new Float64Array(taps - 1)
  /** Where the next output sample lies, in steps of 1 / (from × up) seconds after the first sample not in `history`. */
  let position = 0
  return {
    delayMs: ((filter.length - 1) / 2 / (from * up)) * 1000,
    push(pcm) {
      const input = new Float64Array(history.length + pcm.length)
      input.set(history)
      for (let i = 0; i < pcm.length; i++) input[history.length + i] = pcm[i] ?? 0
      const count = Math.max(0, Math.ceil((pcm.length * up - position) / down))
      const output = new Int16Array(count)
      for (let i = 0; i < count; i++, position += down) {
        const newest = Math.floor(position / up) + taps - 1
        let sum = 0
        for (let tap = 0, at = position % up; tap < taps; tap++, at += up) {
          sum += (filter[at] ?? 0) * (input[newest - tap] ?? 0)
        }
        output[i] = Math.max(-32_768, Math.min(32_767, Math.round(sum)))
      }
      position -= pcm.length * up
      history = input.slice(input.length - (taps - 1))
      return output
    },
  }
}

/** Coefficients at the common multiple of both rates. Their length is a multiple of `up`. */
function filterOf(up: number, down: number): Float64Array {
  const longer = Math.max(up, down)
  const length = Math.ceil((filterPeriods * longer) / up) * up
  const middle = (length - 1) / 2
  const cutoff = passedShare / longer
  const filter = Float64Array.from({ length }, (_, i) => {
    const x = (i - middle) * cutoff
    const sinc = x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
    const ratio = (i - middle) / (length / 2)
    return sinc * bessel(kaiserBeta * Math.sqrt(Math.max(0, 1 - ratio * ratio)))
  })
  const sum = filter.reduce((total, value) => total + value, 0)
  return filter.map((value) => (value * up) / sum)
}

/** Modified Bessel function of the first kind, order zero. */
function bessel(x: number): number {
  let sum = 1
  let term = 1
  for (let k = 1; k < 40; k++) {
    term *= (x / (2 * k)) ** 2
    sum += term
  }
  return sum
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
