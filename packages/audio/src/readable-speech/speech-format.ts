// A language of tones that stands for speech where a test must know every word that was heard. Each word is a frame of
// symbols, one tone of 20 ms each: a start tone, a counter, a length, the bytes of the word and a check.

/** Milliseconds of one tone. */
export const symbolMs = 20
/** The tone that begins a word. No other symbol has it. */
export const startHertz = 2_750
/** The tones of the values 0 to 15. All pass a telephone line. */
export const valueHertz: readonly number[] = Array.from({ length: 16 }, (_, value) => 500 + 125 * value)
/** Silence after each word. */
export const gapMs = 20
/** Longest word of one frame, in bytes of UTF-8. Longer words take several frames. */
export const maxFrameBytes = 15
/** Symbols before the bytes: start, counter and length. */
export const headSymbols = 3
/** Symbols after the bytes. */
export const checkSymbols = 2
/** Set in the counter of a frame whose word goes on in the next one. */
export const continuesFlag = 8
/** Set in the counter of a frame that goes on with the word of the one before. */
export const continuedFlag = 4
/** Frames are counted modulo this, so that a reader notices lost words. */
export const counterModulus = 4

/** A frame without its start tone, as values of four bits. */
export function frameValues(counter: number, bytes: Uint8Array): number[] {
  const head = [counter, bytes.length]
  const body = [...bytes].flatMap((byte) => [byte >> 4, byte & 0xf])
  const check = checkOf([...head, ...body])
  return [...head, ...body, check >> 4, check & 0xf]
}

/**
 * The cyclic redundancy check of values of four bits.
 *
 * @see CRC-8 with the polynomial 0x97, which finds every three wrong bits in frames of this length (Koopman 2004)
 */
export function checkOf(values: readonly number[]): number {
  let crc = 0xff
  for (const value of values) {
    crc ^= value << 4
    for (let bit = 0; bit < 4; bit++) crc = ((crc & 0x80) === 0 ? crc << 1 : (crc << 1) ^ 0x97) & 0xff
  }
  return crc
}

/** Milliseconds from the start tone of a frame to the end of its last symbol. */
export function frameMs(byteCount: number): number {
  return (headSymbols + 2 * byteCount + checkSymbols) * symbolMs
}
