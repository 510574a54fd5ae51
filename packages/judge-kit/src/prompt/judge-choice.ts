import { storableText } from '@ratchet/service-kit/values/storable-text'
import { lastObjectsFirst } from './json-objects.ts'
import { type ModelTraits, structuredRequest } from './structured-request.ts'

/** The JSON object in which a judge answers: an `explanation`, and one of a few words in another field. */
export interface ChoiceFormat<Choice> {
  /** Name of the format for models that take a JSON schema. */
  readonly name: string
  readonly field: string
  /** The words that the judge may write, with what each means. */
  readonly words: ReadonlyMap<string, Choice>
}

export interface JudgeChoice<Choice> {
  readonly choice: Choice
  readonly explanation: string
}

/** The two messages of a judge's prompt. */
export interface JudgePrompt {
  /** Only instructions. */
  readonly system: string
  /** Only data. */
  readonly user: string
}

/** Maximum tokens of a judge's answer. It usually needs a few hundred. */
const maxTokens = 2_048
/** Maximum stored characters of an explanation. */
const maxExplanationChars = 4_000

/** The JSON body of the chat completion that requests a choice from a judge. */
export function choiceRequest({ model, prompt, format }: ChoiceQuestion, traits: ModelTraits): string {
  return structuredRequest({ model, ...prompt, name: format.name, schema: schemaOf(format), maxTokens }, traits)
}

export interface ChoiceQuestion {
  readonly model: string
  readonly prompt: JudgePrompt
  readonly format: ChoiceFormat<unknown>
}

function schemaOf({ field, words }: ChoiceFormat<unknown>) {
  return {
    type: 'object',
    properties: { explanation: { type: 'string' }, [field]: { type: 'string', enum: [...words.keys()] } },
    required: ['explanation', field],
    additionalProperties: false,
  }
}

/**
 * Reads the choice from a judge's message: the last JSON object with one of the words and an `explanation`, outside of the
 * judge's reasoning. Objects inside other objects are ignored, because a judge may quote them. Null when there is none.
 * Takes linear time, because answers may be hostile.
 */
export function parseChoice<Choice>(message: string, format: ChoiceFormat<Choice>): JudgeChoice<Choice> | null {
  for (const object of lastObjectsFirst(message)) {
    const choice = readChoice(object, format)
    if (choice !== null) return choice
  }
  return null
}

function readChoice<Choice>(
  object: Readonly<Record<string, unknown>>,
  { field, words }: ChoiceFormat<Choice>,
): JudgeChoice<Choice> | null {
  const { [field]: word, explanation } = object
  const choice = typeof word === 'string' ? words.get(word) : undefined
  if (choice === undefined || typeof explanation !== 'string') return null
  return { choice, explanation: storableText(explanation, maxExplanationChars) }
}
