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

/** Texts up to this size are read without a place. */
const smallTextsBytes = 256 * kibibyte

/**
 * Reads texts that were found and uses them, after memory for them is reserved.
 *
 * @throws ServiceError `service_unavailable` without memory, or when too many others wait for a place; what `use` throws
 */
export function readTexts<T, U>(
  { bytes, read }: FoundTexts<T>,
  { workspaceId, reserve, places }: TextReading,
  use: (texts: T) => U,
): Promise<U> {
  reserve(bytes)
  const readAndUse = async () => use(await read())
  return bytes <= smallTextsBytes ? readAndUse() : places.run(workspaceId, readAndUse)
}
