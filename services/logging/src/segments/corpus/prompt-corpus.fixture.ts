import { AGENTS, CODING } from './agents-and-code.fixture.ts'
import { EXTRACTION, JUDGES } from './extraction-and-judges.fixture.ts'
import { FREE_FORM, TAILS } from './free-form.fixture.ts'
import { type PromptFamily, RAG, SUPPORT } from './support-and-rag.fixture.ts'
import { NEAR_TWINS, SHORT, TRANSLATIONS } from './translation-and-near-duplicate-prompts.fixture.ts'
import { createValues } from './values.fixture.ts'

export const CORPUS_GROUPS: Readonly<Record<string, readonly PromptFamily[]>> = {
  support: SUPPORT,
  rag: RAG,
  agents: AGENTS,
  coding: CODING,
  extraction: EXTRACTION,
  judges: JUDGES,
  translations: TRANSLATIONS,
  nearDuplicatePrompts: NEAR_TWINS,
  short: SHORT,
  tails: TAILS,
  freeForm: FREE_FORM,
}

export interface LabelledPrompt {
  readonly group: string
  /** The family that generated it. */
  readonly truth: string
  readonly text: string
}

/** 30 to 200 prompts of every family, in an order that `random` determines. */
export function generateCorpus(random: () => number, groups = CORPUS_GROUPS): LabelledPrompt[] {
  const values = createValues(random)
  const prompts = Object.entries(groups).flatMap(([group, families]) =>
    families.flatMap((family, index) =>
      Array.from({ length: values.int(30, 200) }, () => ({ group, truth: `${group}-${index}`, text: family(values) })),
    ),
  )
  return shuffle(prompts, random)
}

/** The shuffle of Fisher and Yates. */
export function shuffle<T>(items: readonly T[], random: () => number): T[] {
  const shuffled = [...items]
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1))
    const moved = shuffled[last] as T
    shuffled[last] = shuffled[other] as T
    shuffled[other] = moved
  }
  return shuffled
}
