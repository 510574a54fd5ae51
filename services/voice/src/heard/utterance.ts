/** A word of spoken audio. */
export interface TimedWord {
  readonly text: string
  /** When it has been heard as a whole, in milliseconds from the beginning of its piece. */
  readonly endMs: number
}

/** A clause that was turned into audio. */
export interface SpokenPiece {
  /** As the model wrote it. */
  readonly text: string
  /** As it is spoken: without markup, with signs as words. */
  readonly spoken: string
  /** Of the audio so far. */
  readonly durationMs: number
  /** False while more audio of it may come. */
  readonly isComplete: boolean
  /** In the order in which they are spoken. */
  readonly words: readonly TimedWord[]
}

/** What a caller heard of an utterance. */
export interface Heard {
  /** Empty when not even one word was heard. */
  readonly text: string
  /** True when all of it was heard. */
  readonly isWhole: boolean
  /** How many pieces were heard from their first to their last word. */
  readonly wholePieces: number
}

/**
 * What was heard of pieces that are played one after the other.
 *
 * @param playedMs milliseconds of the pieces' audio that were played; pauses between pieces do not count
 */
export function heardOf(pieces: readonly SpokenPiece[], playedMs: number): Heard {
  const heard: string[] = []
  let from = 0
  let wholePieces = 0
  for (const piece of pieces) {
    const words = piece.words.filter(({ endMs }) => from + endMs <= playedMs)
    const isEnd = words.length === piece.words.length && (words.length > 0 || from + piece.durationMs <= playedMs)
    if (!isEnd || !piece.isComplete) {
      heard.push(beginningOf(piece.spoken, words))
      break
    }
    heard.push(piece.text)
    wholePieces++
    from += piece.durationMs
  }
  const text = heard.map((part) => part.trim()).filter(Boolean)
  return { text: text.join(' '), isWhole: wholePieces === pieces.length, wholePieces }
}

/** All of it, as if it were heard to the end. */
export function saidOf(pieces: readonly Pick<SpokenPiece, 'text'>[]): string {
  return pieces
    .map(({ text }) => text.trim())
    .filter(Boolean)
    .join(' ')
}

/** What is left of a text after words of it were spoken. */
export function restOf(text: string, words: readonly TimedWord[]): string {
  return text.slice(beginningOf(text, words).length).trim()
}

/** The beginning of a text up to the last of its words, with the punctuation that belongs to that word. */
function beginningOf(text: string, words: readonly TimedWord[]): string {
  let end = 0
  for (const word of words) {
    end = endOf(text, word.text, end) ?? end
  }
  const [punctuation = ''] = end === 0 ? [] : (/^[^\s\p{L}\p{N}]*/u.exec(text.slice(end)) ?? [])
  return text.slice(0, end) + punctuation
}

/** Where a word ends in a text, at or after a place; null when it is no whole word there. */
function endOf(text: string, word: string, from: number): number | null {
  for (let at = text.indexOf(word, from); at >= 0; at = text.indexOf(word, at + 1)) {
    const end = at + word.length
    if (!isInWord(text, at) && !isInWord(text, end)) return end
  }
  return null
}

const ofWord = /[\p{L}\p{N}]/u
/** Scripts that do not separate words. */
const joined =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** Whether a place in a text is between two letters of one word. */
function isInWord(text: string, at: number): boolean {
  return [text.charAt(at - 1), text.charAt(at)].every((each) => ofWord.test(each) && !joined.test(each))
}
