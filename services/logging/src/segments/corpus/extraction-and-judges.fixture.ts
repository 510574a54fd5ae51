import type { PromptFamily } from './support-and-rag.fixture.ts'

const schema = (fields: Readonly<Record<string, string>>) =>
  JSON.stringify({
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, { type }])),
    required: Object.keys(fields),
  })

const EXTRACT = 'You extract structured data. Return only JSON that matches the schema, without comments.'

export const EXTRACTION: readonly PromptFamily[] = [
  (v) =>
    `${EXTRACT}\n\nSchema:\n${schema({ invoice_number: 'string', total: 'number', due_date: 'string' })}\n\nText:\n${v.prose(2, 20)}`,
  (v) =>
    `${EXTRACT}\n\nSchema:\n${schema({ patient: 'string', diagnosis: 'string', medication: 'array' })}\n\nText:\n${v.prose(2, 20)}`,
  (v) =>
    `${EXTRACT}\n\nSchema:\n${schema({ company: 'string', ceo: 'string', revenue: 'number' })}\n\nText:\n${v.prose(2, 20)}`,
  (v) =>
    `Extract every person and place from the text. Return {"people": ["..."], "places": ["..."]}.\n\nText: ${v.prose(1, 30)}`,
  (v) =>
    `Parse the resume into the fields name, skills and years of experience.\n\n<resume>\n${v.name()}\n${v.email()}\n${v.prose(2, 15)}\n</resume>`,
  (v) =>
    `Find all dates in the message and normalize them to ISO format. The message was sent on ${v.date()} from ${v.city()}.`,
  (v) =>
    `Turn the order into JSON with the keys item, quantity and address.\n\nOrder:\n${v.name()}, ${v.int(1, 99)} ${v.noun()}s, ${v.city()}, ${v.date()}`,
  (v) =>
    `Classify the message into one of the following categories: complaint, praise, question, spam.\nReturn the category only.\n\nMessage:\n${v.prose(1, 8)}`,
  (v) =>
    `Classify the message into one of the following categories: urgent, normal, low.\nReturn the category only.\n\nMessage:\n${v.prose(1, 8)}`,
]

export const JUDGES: readonly PromptFamily[] = [
  (v) =>
    `You are a strict judge. Grade the answer for factual accuracy on a scale from 1 to 5. Return JSON with score and reason.\n\nQuestion:\n${v.sentence()}\n\nAnswer:\n${v.prose(1, 12)}`,
  (v) =>
    `You are a strict judge. Grade the answer for politeness on a scale from 1 to 5. Return JSON with score and reason.\n\nQuestion:\n${v.sentence()}\n\nAnswer:\n${v.prose(1, 12)}`,
  (v) =>
    `You are a strict judge. Grade the answer for completeness on a scale from 1 to 5. Return JSON with score and reason.\n\nQuestion:\n${v.sentence()}\n\nAnswer:\n${v.prose(1, 12)}`,
  (v) =>
    `Compare the two responses and decide which one is better. Output A, B or TIE.\n\n<response>${v.prose(1, 10)}</response>\n<response>${v.prose(1, 10)}</response>`,
  (v) =>
    `You check whether a reply leaks private data. Say PASS or FAIL first, then explain.\n\nReply:\n${v.prose(1, 10)}`,
  (v) =>
    `Judge the essay of ${v.name()} (grade ${v.int(5, 12)}). Look at structure, grammar and ideas. Give one mark for each.\n\nEssay:\n${v.prose(4, 40)}`,
  (v) => `Rate the toxicity of the comment between 0 and 1. Output only the number.\n\nComment: ${v.prose(1, 4)}`,
  (v) =>
    `You verify citations. For each sentence say whether the source supports it.\n\nSource:\n${v.prose(2, 20)}\n\nStatement:\n${v.statement()}`,
]
