import type { Readable } from 'node:stream'

/** Content, by its hash. */
export interface Content {
  /** SHA-256 of the bytes, 64 hex digits. */
  readonly sha256: string
  /** Number of bytes. */
  readonly bytes: number
}

/** Where and how bytes are sent or received, without any other right. */
export interface SignedUrl {
  /** Absolute, or relative to the address of the service `training`. */
  readonly url: string
  /** Headers that the request must have. */
  readonly headers: Readonly<Record<string, string>>
}

/** An upload that somebody else makes. */
export interface Upload extends Content {
  /** Who uploads, such as an attempt: letters, digits and `-`. Uploads of others cannot be changed. */
  readonly scope: string
}

/**
 * `stored`: the upload is in the store, and nobody can change it any more. `missing`: this scope did not upload it, whether or
 * not the store has it: who knows only a hash must not get its content. `different`: what was uploaded has another size or hash.
 * An upload counts once.
 */
export type Acceptance = 'stored' | 'missing' | 'different'

/**
 * Content under its hash: datasets, adapters, states of training. Content is never changed, so all calls may be repeated and
 * run concurrently. Which content is still needed is known to the database only (`pg-artifacts.ts`).
 */
export interface ArtifactStore {
  /** Stores content. @throws Error when it is not what `content` says; then nothing is stored */
  put(content: Content, bytes: Readable | Buffer): Promise<void>
  /**
   * Stores bytes whose hash is not known before they end, under no hash until {@link StagedContent.keep}. Nothing remains when
   * they end with an error.
   */
  stage(bytes: AsyncIterable<Uint8Array>): Promise<StagedContent>
  /**
   * Reads content, or its first bytes.
   *
   * @param maxBytes number of bytes to read at most, at least 1; absent: all
   * @throws ArtifactMissing
   */
  get(sha256: string, maxBytes?: number): Promise<Readable>
  /** Size of content that is stored; null when it is not. */
  stat(sha256: string): Promise<{ readonly bytes: number } | null>
  /** Removes content, if it is stored. */
  delete(sha256: string): Promise<void>
  /** Lets somebody send content by PUT, until it expires. It counts after {@link ArtifactStore.accept}. */
  signUpload(upload: Upload, expiresAt: Date): Promise<SignedUrl>
  /**
   * Takes what was sent to a signed URL, when the store itself receives it.
   *
   * @throws RangeError when it is not what was announced
   */
  receive?(upload: Upload, bytes: Readable): Promise<void>
  /** Compares size and hash of what was uploaded, and stores it if they agree. */
  accept(upload: Upload): Promise<Acceptance>
  /** Lets somebody read content by GET, until it expires. */
  signDownload(content: Content, expiresAt: Date): Promise<SignedUrl>
  /** Removes what was uploaded before a time and never accepted. */
  sweepUploads(before: Date): Promise<void>
}

/** Bytes that the store has, and that are not content yet. */
export interface StagedContent extends Content {
  /** Makes them content under their hash. */
  keep(): Promise<void>
  /** Removes them, unless they were kept. */
  discard(): Promise<void>
}

/** The store does not have the content. */
export class ArtifactMissing extends Error {
  override name = 'ArtifactMissing'

  constructor(sha256: string, options?: ErrorOptions) {
    super(`no artifact ${sha256}`, options)
  }
}

/** Where content is in a store, `sha256/<first two digits>/<hash>`. @throws RangeError for anything but a hash */
export function contentKey(sha256: string): string {
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new RangeError('a SHA-256 has 64 hex digits')
  return `sha256/${sha256.slice(0, 2)}/${sha256}`
}

/** The name of who uploads. @throws RangeError for anything else */
export function requireScope(scope: string): string {
  if (!/^[A-Za-z0-9-]{1,100}$/.test(scope)) throw new RangeError('a scope has letters, digits and `-`')
  return scope
}
