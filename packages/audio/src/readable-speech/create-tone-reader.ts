import { bandPower, totalPower } from '../tone-power.ts'
import type { SpokenWord } from './create-tone-speaker.ts'
import {
  checkOf,
  checkSymbols,
  continuedFlag,
  continuesFlag,
  counterModulus,
  headSymbols,
  startHertz,
  symbolMs,
  valueHertz,
} from './speech-format.ts'

/** Reads words from audio in the language of tones. */
export interface ToneReader {
  /**
   * Takes the next samples of the stream.
   *
   * @returns the words that ended in it; times count from the beginning of the stream
   */
  push(pcm: Int16Array): ReadWord[]
}

export interface ReadWord extends SpokenWord {
  /** Frames that were spoken between the word before and this one, and that could not be read; counted modulo 4. */
  readonly lostBefore: number
}

/** Least share of the power that the start tone has in its window, found by measuring; noise at 10 dB leaves 0.9. */
const minStartShare = 0.55
/** Least share of the power that the strongest tone has in a symbol. */
const minValueShare = 0.3
/**
 * Least power of the second half of a frame's last symbol, as a share of its first half: a word whose end was cut off is not
 * read. Speech that becomes quieter by 12 dB from one symbol to the next is.
 */
const minEndShare = 0.03
/** Quieter windows are silence: root mean square of 60 in 16 bits. */
const minSamplePower = 60 ** 2
const searchStepMs = 2.5
const alignStepMs = 1.25
/** Left out at both ends of a symbol, so that a small error of alignment does not matter. */
const edgeMs = 2
/** Longest stretch that is held in memory: a frame of the greatest length, and a start tone before it. */
const maxHeldMs = 1_000

interface Frame {
  readonly counter: number
  readonly bytes: readonly number[]
  /** Samples from its start. */
  readonly length: number
}

/**
 * A reader of the language of tones. It needs no alignment, keeps one second of audio, and finds the next word after
 * anything that it cannot read.
 *
 * @param sampleRate hertz of the stream, at least 8,000
 */
export function createToneReader(sampleRate: number): ToneReader {
  const reading: Reading = {
    sampleRate,
    held: new Int16Array(0),
    heldFrom: 0,
    partial: null,
    nextCounter: null,
    begun: null,
  }
  return {
    push(pcm) {
      const joined = new Int16Array(reading.held.length + pcm.length)
      joined.set(reading.held)
      joined.set(pcm, reading.held.length)
      reading.held = joined
      return readHeld(reading)
    },
  }
}

/** Reads all words of a recording. */
export function readTones(pcm: Int16Array, sampleRate: number): ReadWord[] {
  return createToneReader(sampleRate).push(pcm)
}

interface Reading {
  readonly sampleRate: number
  /** Samples that are not searched yet. */
  held: Int16Array
  /** Where in the stream `held` begins, in samples. */
  heldFrom: number
  /** The frame that is arriving: where in the stream it starts, and its values so far. */
  partial: { readonly start: number; readonly values: number[] } | null
  /** The counter that the next frame should have. */
  nextCounter: number | null
  begun: BegunWord | null
}

/** The frames so far of a word that goes on. */
interface BegunWord {
  readonly bytes: number[]
  readonly startMs: number
  readonly lostBefore: number
}

function readHeld(reading: Reading): ReadWord[] {
  const words: ReadWord[] = []
  const { sampleRate, held } = reading
  const samples = (ms: number) => Math.round((ms * sampleRate) / 1000)
  let at = 0
  for (;;) {
    const start = reading.partial === null ? findStart(reading, at) : startOf(reading)
    if (start.kind === 'more') {
      at = start.from
      break
    }
    const frame = readFrame(reading, start.at)
    if (frame === 'more') {
      at = start.at
      break
    }
    if (frame === null) {
      at = start.at + samples(symbolMs)
      continue
    }
    const word = takeFrame(reading, start.at, frame)
    if (word !== null) words.push(word)
    at = start.at + frame.length - samples(edgeMs)
  }
  at = Math.max(at, held.length - samples(maxHeldMs))
  reading.held = held.slice(at)
  reading.heldFrom += at
  return words
}

function startOf({ partial, heldFrom }: Reading): { readonly kind: 'found'; readonly at: number } {
  return { kind: 'found', at: (partial?.start ?? heldFrom) - heldFrom }
}

/** The next place whose window has the start tone, aligned to where that tone is strongest. */
function findStart(
  { held, sampleRate }: Reading,
  from: number,
): { readonly kind: 'found'; readonly at: number } | { readonly kind: 'more'; readonly from: number } {
  const window = Math.round((symbolMs * sampleRate) / 1000)
  const step = Math.round((searchStepMs * sampleRate) / 1000)
  for (let at = from; ; at += step) {
    // The strongest place may be up to a window later.
    if (at + 2 * window > held.length) return { kind: 'more', from: at }
    const here = held.subarray(at, at + window)
    const power = totalPower(here)
    if (power < minSamplePower * window) continue
    if ((2 * bandPower(here, startHertz / sampleRate)) / (window * power) < minStartShare) continue
    return { kind: 'found', at: strongestFrom(held, { at, window, sampleRate }) }
  }
}

function strongestFrom(
  held: Int16Array,
  { at, window, sampleRate }: { readonly at: number; readonly window: number; readonly sampleRate: number },
): number {
  const step = Math.max(1, Math.round((alignStepMs * sampleRate) / 1000))
  let best = at
  let most = -1
  for (let place = at; place < at + window; place += step) {
    const power = bandPower(held.subarray(place, place + window), startHertz / sampleRate)
    if (power > most) [best, most] = [place, power]
  }
  return best
}

/** @returns null when what follows the start tone is no whole frame; `more` when it has not arrived yet */
function readFrame(reading: Reading, start: number): Frame | null | 'more' {
  const { sampleRate } = reading
  const values = reading.partial?.values ?? []
  reading.partial = { start: reading.heldFrom + start, values }
  const frame = readValues(reading, start, values)
  if (frame !== 'more') reading.partial = null
  if (frame !== 'whole') return frame
  const checked = values.slice(0, -checkSymbols)
  const [high = 0, low = 0] = values.slice(-checkSymbols)
  if (checkOf(checked) !== high * 16 + low) return null
  const [counter = 0, , ...nibbles] = checked
  const bytes = Array.from({ length: nibbles.length / 2 }, (_, i) => {
    const [upper = 0, lower = 0] = nibbles.slice(2 * i)
    return upper * 16 + lower
  })
  return { counter, bytes, length: Math.round(((values.length + 1) * symbolMs * sampleRate) / 1000) }
}

/** Adds to the values of a frame what has arrived. */
function readValues({ held, sampleRate }: Reading, start: number, values: number[]): 'whole' | 'more' | null {
  const symbol = (symbolMs * sampleRate) / 1000
  const edge = Math.round((edgeMs * sampleRate) / 1000)
  const windowOf = (index: number) => {
    const from = Math.round(start + index * symbol) + edge
    const to = Math.round(start + (index + 1) * symbol) - edge
    return to > held.length ? null : held.subarray(from, to)
  }
  const countOf = () =>
    values.length < headSymbols - 1 ? headSymbols : headSymbols + 2 * (values[1] ?? 0) + checkSymbols
  while (values.length < countOf() - 1) {
    const window = windowOf(values.length + 1)
    if (window === null) return 'more'
    const isLast = values.length >= headSymbols - 1 && values.length === countOf() - 2
    const value = isLast && isCutOff(window) ? null : strongestValue(window, sampleRate)
    if (value === null || (values.length === 1 && value === 0)) return null
    values.push(value)
  }
  return 'whole'
}

/** The value whose tone is the strongest; null when none stands out. */
function strongestValue(window: Int16Array, sampleRate: number): number | null {
  let best = 0
  let most = -1
  for (const [value, hertz] of valueHertz.entries()) {
    const power = bandPower(window, hertz / sampleRate)
    if (power > most) [best, most] = [value, power]
  }
  const share = (2 * most) / (window.length * totalPower(window))
  return share >= minValueShare ? best : null
}

function isCutOff(window: Int16Array): boolean {
  const middle = Math.floor(window.length / 2)
  return totalPower(window.subarray(middle)) < minEndShare * totalPower(window.subarray(0, middle))
}

/** Adds a frame. @returns the word that it ends */
function takeFrame(reading: Reading, start: number, { counter, bytes, length }: Frame): ReadWord | null {
  const { sampleRate, heldFrom } = reading
  const startMs = ((heldFrom + start) * 1000) / sampleRate
  const begun = begunWord(reading, counter, startMs)
  reading.nextCounter = ((counter % counterModulus) + 1) % counterModulus
  reading.begun = null
  if (begun === null) return null
  begun.bytes.push(...bytes)
  if ((counter & continuesFlag) !== 0) {
    reading.begun = begun
    return null
  }
  const text = new TextDecoder().decode(Uint8Array.from(begun.bytes))
  const endMs = ((heldFrom + start + length) * 1000) / sampleRate
  return { text, startMs: begun.startMs, endMs, lostBefore: begun.lostBefore }
}

/** The word that a frame belongs to; null when its first part was lost. */
function begunWord({ nextCounter, begun }: Reading, counter: number, startMs: number): BegunWord | null {
  const number = counter % counterModulus
  const lostBefore = nextCounter === null ? 0 : (number - nextCounter + counterModulus) % counterModulus
  if ((counter & continuedFlag) === 0) return { bytes: [], startMs, lostBefore }
  return lostBefore === 0 ? begun : null
}
