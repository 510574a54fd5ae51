import type { PromptFamily } from './support-and-rag.fixture.ts'

const PAIRS = ['English to French', 'English to German', 'English to Japanese', 'Spanish to English']

export const TRANSLATIONS: readonly PromptFamily[] = [
  (v) =>
    `Translate the following text from ${v.pick(PAIRS)}. Keep names and numbers as they are.\n\nText:\n${v.prose(1, 20)}`,
  (v) =>
    `You are a certified translator. Translate birth certificates into Portuguese. Client: ${v.name()}. Reference: ${v.id()}.`,
  (v) =>
    `Du bist ein erfahrener Übersetzer. Übersetze den Text ins Englische und behalte den Ton bei.\n\nText:\n${v.salad(10, 120)}`,
  (v) =>
    `Localize the strings of version ${v.int(1, 9)}.${v.int(0, 20)} for the Brazilian market. Never translate the product name ${v.firm()}.`,
  (v) => `请把下面的内容翻译成英文,保持原文的语气。\n内容:\n${v.salad(10, 80)}`,
]

const HOUSE = (firm: string) =>
  `You are the assistant of ${firm}. Follow the house style at all times. Write short sentences. Avoid jargon. Never give legal advice. Ask when something is unclear. Use the metric system.`

const nearDuplicatePrompt = (task: string): PromptFamily => {
  return (v) => `${HOUSE(v.firm())} ${task} Today is ${v.date()} and you are working for ${v.name()}.`
}

/** Families with the same long opening that differ in one sentence or one word of their task. */
export const NEAR_TWINS: readonly PromptFamily[] = [
  nearDuplicatePrompt('Summarize what the user sends.'),
  nearDuplicatePrompt('Summarize what the user sends in one sentence.'),
  nearDuplicatePrompt('Turn what the user sends into a poem.'),
  nearDuplicatePrompt('Find mistakes in what the user sends.'),
  nearDuplicatePrompt('Find risks in what the user sends.'),
  nearDuplicatePrompt('Classify what the user sends by topic.'),
  nearDuplicatePrompt('Classify what the user sends by urgency.'),
  nearDuplicatePrompt('Classify what the user sends by urgency. Explain the choice.'),
  nearDuplicatePrompt('Write a reply to what the user sends.'),
  nearDuplicatePrompt('Write a counter-argument to what the user sends.'),
]

/** Prompts of at most a dozen words without a variable part, each a family of its own. */
export const SHORT: readonly PromptFamily[] = [
  'You are a helpful assistant.',
  'You are a helpful translator.',
  'You are a helpful coding assistant.',
  'You are a pirate.',
  'Be concise.',
  'Answer in French.',
  'Answer in German.',
  'You are a Looker expert.',
  'You are a Terraform expert.',
].map((prompt) => () => prompt)
