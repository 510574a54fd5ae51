import { deserialize, serialize } from 'node:v8'
import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { batchesBySize } from '../../exchanges/batches-by-size.ts'
import { errorOf, type Refusal, refusalOf } from '../../threads/refusal.ts'
import { type ExportOrder, type ReadCall, type ReadExport, readExport } from './read-export.ts'
import type { StoredSpan } from './trace-store.ts'

/** Spans that are stored together, in the form in which they pass from the thread: reading all at once would take long. */
export type PackedSpans<Span> = { readonly packed: Uint8Array<ArrayBuffer>; readonly span?: Span }

export interface PackedExport extends Omit<ReadExport, 'calls' | 'others'> {
  readonly calls: readonly PackedSpans<ReadCall>[]
  readonly others: readonly PackedSpans<StoredSpan>[]
}

export type ExportResult = { readonly kind: 'read'; readonly read: PackedExport } | Refusal

const batchLimits = { maxItems: 100, maxBytes: mebibyte }

/** Runs in the thread. */
export function readSentExport(order: ExportOrder): unknown {
  const result = readPacked(order)
  if (result.kind === 'refused') return result
  const buffers = [...result.read.calls, ...result.read.others].map(({ packed }) => packed.buffer)
  return move({ [transferableSymbol]: buffers, [valueSymbol]: result } as never)
}

export function readPacked(order: ExportOrder): ExportResult {
  try {
    const { calls, others, ...counts } = readExport(order)
    const packed = {
      calls: pack(calls, ({ written }) => written?.content.length ?? 0),
      others: pack(others, ({ attributes }) => attributes.length),
    }
    return { kind: 'read', read: { ...counts, ...packed } }
  } catch (error) {
    return refusalOf(error)
  }
}

/** @throws ServiceError when the export was refused */
export function openResult(result: ExportResult): PackedExport {
  if (result.kind === 'read') return result.read
  throw errorOf(result)
}

function pack<Span>(spans: readonly Span[], bytesOf: (span: Span) => number): PackedSpans<Span>[] {
  return [...batchesBySize(spans, { ...batchLimits, bytesOf })].map((some) => ({
    packed: new Uint8Array(serialize(some)),
  }))
}

export function unpack<Span>({ packed }: PackedSpans<Span>): readonly Span[] {
  return deserialize(packed)
}
