import { type LabelImportSummary, maxImportRejections } from '@ratchet/contracts/labels'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { AddedLabel } from './label-queries.ts'

export type ImportSummary = ReturnType<typeof createImportSummary>

/** Counts the outcomes of lines. */
export function createImportSummary() {
  const counts = { lines: 0, created: 0, superseded: 0, duplicates: 0, refused: 0 }
  const reasons = new Map<string, number>()
  const rejected: LabelImportSummary['rejected'] = []
  return {
    /** Counts a line. Returns the number of lines so far. */
    line(): number {
      counts.lines += 1
      return counts.lines
    },
    added(labels: readonly AddedLabel[]): void {
      for (const label of labels) {
        if (label.kind === 'known') counts.duplicates += 1
        else counts.created += 1
        if (label.kind === 'created' && label.supersedes) counts.superseded += 1
      }
    },
    known(): void {
      counts.duplicates += 1
    },
    refused(line: number, { code, message, param }: ServiceError): void {
      counts.refused += 1
      reasons.set(code, (reasons.get(code) ?? 0) + 1)
      if (rejected.length < maxImportRejections) rejected.push({ line, code, message, param })
    },
    /** @throws ServiceError 400 when there was no line */
    read(): LabelImportSummary {
      if (counts.lines === 0) throw new ServiceError('invalid_request', 'The import has no lines.')
      rejected.sort((a, b) => a.line - b.line)
      return { object: 'label.import', ...counts, reasons: Object.fromEntries(reasons), rejected }
    },
  }
}
