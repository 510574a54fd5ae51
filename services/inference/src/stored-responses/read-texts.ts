import { kibibyte } from '@ratchet/contracts/byte-sizes'
import type { FairPlaces } from '@ratchet/service-kit/timing/fair-places'
import type { FoundTexts } from './stored-response.ts'

/** What reading texts of a workspace into memory needs. */
export interface TextReading {
  readonly workspaceId: string
  /**
   * Reserves memory for the request, until it ends.
   *
   * @throws ServiceError `service_unavailable` when the share of the workspace is used up
   */
  readonly reserve: (bytes: number) => void
  /** Places for large texts, which take the process's time. */
  readonly places: FairPlaces
}

/** Texts up to this size are read and written without a place. */
const smallTextsBytes = 256 * kibibyte

/**
 * Reads texts that were found and uses them, after memory for them is reserved.
 *
 * @throws ServiceError `service_unavailable` without memory, or when too many others wait for a place; what `use` throws
 */
export function readTexts<T, U>(
  { bytes, read }: FoundTexts<T>,
  reading: TextReading,
  use: (texts: T) => U,
): Promise<U> {
  reading.reserve(bytes)
  return withPlace(bytes, reading, async () => use(await read()))
}

/**
 * Runs work on texts of this size, in a place when they are large.
 *
 * @throws ServiceError `service_unavailable` when too many others wait for a place; and what the work throws
 */
export function withPlace<T>(
  bytes: number,
  { workspaceId, places }: Pick<TextReading, 'workspaceId' | 'places'>,
  work: () => Promise<T>,
): Promise<T> {
  return bytes <= smallTextsBytes ? work() : places.run(workspaceId, work)
}
