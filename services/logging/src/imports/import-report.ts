import { type LogImport, maxImportErrors } from '@ratchet/contracts/log-import'
import { ServiceError } from '@ratchet/service-kit/http/service-error'

/** The position of an entry in the request. */
export interface EntryPlace {
  /** Number of the line or entry, from 1. */
  readonly line: number
  /** Its name in errors, e.g. `file.3` or `logs.2`. */
  readonly param: string
}

/** Counts the outcome of each entry. */
export interface ImportReport {
  imported(count: number): void
  duplicates(count: number): void
  tooLarge(): void
  /** The parameter of the error is a field of the entry, or null for the whole entry. */
  failed(place: EntryPlace, error: ServiceError): void
  /** @throws ServiceError 400 when no entry could be imported */
  read(): LogImport
}

export function createImportReport(where: string): ImportReport {
  const counts = { imported: 0, duplicates: 0, failed: 0 }
  const skipped = { too_large: 0 }
  const errors: LogImport['errors'] = []
  return {
    imported(count) {
      counts.imported += count
    },
    duplicates(count) {
      counts.duplicates += count
    },
    tooLarge() {
      skipped.too_large += 1
    },
    failed({ line, param: place }, { code, param, message }) {
      counts.failed += 1
      if (errors.length === maxImportErrors) return
      errors.push({ line, code, param: param === null ? place : `${place}.${param}`, message })
    },
    read() {
      const total = counts.imported + counts.duplicates + counts.failed + skipped.too_large
      const [first] = errors
      if (total === 0) throw new ServiceError('invalid_request', 'There are no log entries.', { param: where })
      if (first !== undefined && counts.failed === total) throw nothingReadable(first, { where, total, errors })
      return { object: 'log.import', total, ...counts, skipped, errors }
    },
  }
}

type EntryError = LogImport['errors'][number]

function nothingReadable(
  { line, code, param, message }: EntryError,
  { where, ...details }: { readonly where: string; readonly total: number; readonly errors: readonly EntryError[] },
): ServiceError {
  const others = details.total === 1 ? '' : ' None of the others can be imported either.'
  return new ServiceError(
    code === 'unknown_parameter' ? code : 'invalid_request',
    `${where === 'logs' ? 'Entry' : 'Line'} ${line}: ${message}${others}`,
    { param, details },
  )
}
