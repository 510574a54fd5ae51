/** One word of a prompt. */
export interface Word {
  /** In lower case; `*` for a number, a date, an id or a URL. */
  readonly text: string
  /** Begins with a capital and has small letters, unlike PASS and A, which are not names. */
  readonly capital: boolean
  /** Its index range in the normalized prompt. */
  readonly start: number
  readonly end: number
}

/** A sentence, a heading, an item of a list, or the part of one before its colon. */
export interface Unit {
  readonly kind: 'unit'
  readonly words: readonly Word[]
  /** It ends in a colon. */
  readonly colon: boolean
  /** The mark at its beginning: `#`, `[1]`, or the bracket of a `[Heading]`. */
  readonly lead: 'none' | 'heading' | 'citation' | 'bracket'
}

export type Piece =
  | Unit
  /** A tag whose content may be task or data. */
  | { readonly kind: 'open' | 'close'; readonly tag: string }
  /** Delimited data without its content: a fence, or a tag with documents. */
  | { readonly kind: 'block'; readonly tag: string }
  /** A JSON value: its distinct keys, sorted. */
  | { readonly kind: 'json'; readonly keys: readonly string[]; readonly schema: boolean }

/** Replaces every variable part. */
export const MASK = '*'
