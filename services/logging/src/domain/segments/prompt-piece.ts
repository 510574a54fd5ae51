/** One word of a prompt. */
export interface Word {
  /** In lower case; `*` for a number, a date, an id, an address. */
  readonly text: string
  /** Begins with a capital and has small letters: PASS and A are no names. */
  readonly capital: boolean
  /** Where it stands in the normalised prompt. */
  readonly start: number
  readonly end: number
}

/** A sentence, a heading, an item of a list, or the part of one before its colon. */
export interface Unit {
  readonly kind: 'unit'
  readonly words: readonly Word[]
  /** It ends in a colon. */
  readonly colon: boolean
  /** What it begins with: `#`, `[1]`, or the bracket of a `[Heading]`. */
  readonly lead: 'none' | 'heading' | 'citation' | 'bracket'
}

export type Piece =
  | Unit
  /** A tag around what may be task or data. */
  | { readonly kind: 'open' | 'close'; readonly tag: string }
  /** Delimited data, its content left out: a fence, a tag that holds documents. */
  | { readonly kind: 'block'; readonly tag: string }
  /** A JSON value: its distinct keys, sorted. */
  | { readonly kind: 'json'; readonly keys: readonly string[]; readonly schema: boolean }

/** What stands for every variable part. */
export const MASK = '*'
