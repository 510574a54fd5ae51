import type { Dataset } from '@ratchet/contracts/datasets'

const kinds: Record<Dataset['kind'], string> = { train: 'training', eval: 'evaluation' }
const formats: Record<Dataset['format'], string> = {
  chat: 'prompts with their replies',
  preference: 'prompts with two answers',
  prompts: 'prompts without replies',
}
const sources: Record<Dataset['source'], string> = {
  logs: 'the log',
  upload: 'an upload',
  raft: 'training',
  evals: 'evals',
  distill: "a teacher's answers",
}

const statuses = {
  building: { word: 'being made', state: 'open' },
  ready: { word: 'ready', state: 'proven' },
  failed: { word: 'failed', state: 'wrong' },
} as const

/** Whether it can be used, as a word and a state. */
export function statusOf({ status }: Pick<Dataset, 'status'>): (typeof statuses)[Dataset['status']] {
  return statuses[status]
}

export function kindText({ kind }: Pick<Dataset, 'kind'>): string {
  return kinds[kind]
}

export function formatText({ format }: Pick<Dataset, 'format'>): string {
  return formats[format]
}

export function sourceText({ source }: Pick<Dataset, 'source'>): string {
  return sources[source]
}
