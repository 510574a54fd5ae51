import { type LabelImportSummary, maxImportRejections } from '@ratchet/contracts/labels'
import { ServiceError } from '@ratchet/service-kit/service-error'
import type { AddedLabel } from './label-store.ts'

/** Counts what becomes of each line. */
export interface ImportSummary {
  /** There is one more. Gives how many there are. */
  line(): number
  added(labels: readonly AddedLabel[]): void
  known(): void
  refused(line: number, error: ServiceError): void
  /** @throws ServiceError 400 when there was no line */
  read(): LabelImportSummary
}

export function createImportSummary(): ImportSummary {
  const counts = { lines: 0, created: 0, superseded: 0, duplicates: 0, refused: 0 }
  const reasons = new Map<string, number>()
  const rejected: LabelImportSummary['rejected'] = []
  return {
    line() {
      counts.lines += 1
      return counts.lines
    },
    added(labels) {
      for (const label of labels) {
        if (label.kind === 'known') counts.duplicates += 1
        else counts.created += 1
        if (label.kind === 'created' && label.supersedes) counts.superseded += 1
      }
    },
    known() {
      counts.duplicates += 1
    },
    refused(line, { code, message, param }) {
      counts.refused += 1
      reasons.set(code, (reasons.get(code) ?? 0) + 1)
      if (rejected.length < maxImportRejections) rejected.push({ line, code, message, param })
    },
    read() {
      if (counts.lines === 0) throw new ServiceError('invalid_request', 'There are no grades.')
      rejected.sort((a, b) => a.line - b.line)
      return { object: 'label.import', ...counts, reasons: Object.fromEntries(reasons), rejected }
    },
  }
}
