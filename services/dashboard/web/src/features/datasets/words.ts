import type { Dataset } from '@ratchet/contracts/datasets'

const kinds: Record<Dataset['kind'], string> = { train: 'training', eval: 'evaluation' }
const sources: Record<Dataset['source'], string> = {
  logs: 'the log',
  upload: 'an upload',
  raft: 'training',
  evals: 'evals',
  distill: "a teacher's answers",
}

export function kindText({ kind }: Pick<Dataset, 'kind'>): string {
  return kinds[kind]
}

export function sourceText({ source }: Pick<Dataset, 'source'>): string {
  return sources[source]
}
