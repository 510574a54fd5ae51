import type { Piece } from './chat-chunk.ts'

/** What a model wrote into one choice of a streamed answer. */
export interface WrittenChoice {
  readonly index: number
  readonly content: string
  readonly reasoning: string
  readonly refusal: string
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[]
}

export interface TextCollector {
  add(choice: number, piece: Piece): void
  /** Choices and their tool calls, each in the order of their indexes. */
  choices(): readonly WrittenChoice[]
  /** Whether something was left out because the answer is longer than what is kept. */
  isCut(): boolean
}

/** Puts an answer's pieces together again, at most `maxCharacters` of all its choices together. */
export function createTextCollector(maxCharacters: number): TextCollector {
  const choices = new Map<number, ChoiceTexts>()
  let room = maxCharacters
  let isCut = false
  return {
    add(index, { kind, text, call }) {
      const kept = text.slice(0, room)
      isCut ||= kept.length < text.length
      room -= kept.length
      if (kept !== '') append(textsFor(choices, index, call), kind, kept)
    },
    choices: () => ascending(choices).map(([index, calls]) => written(index, ascending(calls))),
    isCut: () => isCut,
  }
}

/** The texts of one choice by tool call; what is not of a tool call is under 0. */
type ChoiceTexts = Map<number, Texts>
type Texts = Map<Piece['kind'], GrowingText>

/** Text with its newest pieces apart: joining many at a time keeps a long answer from becoming a long chain of them. */
interface GrowingText {
  text: string
  pieces: string[]
}

const PIECES_PER_JOIN = 64

function textsFor(choices: Map<number, ChoiceTexts>, index: number, call: number): Texts {
  const choice: ChoiceTexts = choices.get(index) ?? new Map()
  const texts: Texts = choice.get(call) ?? new Map()
  choices.set(index, choice.set(call, texts))
  return texts
}

function append(texts: Texts, kind: Piece['kind'], text: string): void {
  const growing = texts.get(kind) ?? { text: '', pieces: [] }
  texts.set(kind, growing)
  growing.pieces.push(text)
  if (growing.pieces.length < PIECES_PER_JOIN) return
  growing.text += growing.pieces.join('')
  growing.pieces = []
}

function written(index: number, calls: readonly (readonly [number, Texts])[]): WrittenChoice {
  const own = calls.find(([call]) => call === 0)?.[1]
  return {
    index,
    content: textIn(own, 'content'),
    reasoning: textIn(own, 'reasoning'),
    refusal: textIn(own, 'refusal'),
    toolCalls: calls
      .map(([, texts]) => ({
        id: textIn(texts, 'tool_id'),
        name: textIn(texts, 'tool_name'),
        arguments: textIn(texts, 'tool_arguments'),
      }))
      .filter((call) => `${call.id}${call.name}${call.arguments}` !== ''),
  }
}

function textIn(texts: Texts | undefined, kind: Piece['kind']): string {
  const growing = texts?.get(kind)
  return growing === undefined ? '' : growing.text + growing.pieces.join('')
}

function ascending<T>(entries: ReadonlyMap<number, T>): (readonly [number, T])[] {
  return [...entries].sort(([a], [b]) => a - b)
}
