import type { Dataset } from '@ratchet/contracts/datasets'

const kinds: Record<Dataset['kind'], string> = { train: 'training', eval: 'evaluation' }
const sources: Record<Dataset['source'], string> = { logs: 'the log', upload: 'an upload', raft: 'training' }

export function kindText({ kind }: Pick<Dataset, 'kind'>): string {
  return kinds[kind]
}

export function sourceText({ source }: Pick<Dataset, 'source'>): string {
  return sources[source]
}

/** Bytes in the unit that has one to three digits before the point. */
export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} KB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
