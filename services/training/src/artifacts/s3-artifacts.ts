import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import {
  ArtifactMissing,
  type ArtifactStore,
  type Content,
  contentKey,
  requireScope,
  type Upload,
} from './artifact-store.ts'
import { checkedBytes, streamOf } from './checked-bytes.ts'
import { abortUploads, stageIn } from './s3-staging.ts'

export interface S3Options {
  readonly bucket: string
  readonly region: string
  /** Address of the service; absent: Amazon's. Its buckets are addressed by path. */
  readonly endpoint?: string | undefined
  /** Absent: those that the environment gives, as Amazon's clients find them. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined
  readonly now: () => Date
  readonly newId: () => string
}

const uploadPrefix = 'unfinished'

/**
 * Artifacts in a bucket. Uploads have a key of their own: an announced hash proves nothing, and a signed URL stays valid after
 * the upload was checked. They are copied to the key of their hash only in the version that was measured.
 */
export function createS3Artifacts(options: S3Options): ArtifactStore {
  const { bucket: Bucket, now, newId } = options
  const client = connect(options)
  const secondsUntil = (time: Date) => Math.max(1, Math.ceil((time.getTime() - now().getTime()) / 1_000))

  async function sizeOf(sha256: string) {
    const head = new HeadObjectCommand({ Bucket, Key: contentKey(sha256) })
    const found = await client.send(head).catch(nullIfAbsent)
    return found === null ? null : { bytes: found.ContentLength ?? 0 }
  }

  const isStored = async (sha256: string) => (await sizeOf(sha256)) !== null

  async function accept(upload: Upload) {
    const Key = uploadKey(upload)
    const found = await client.send(new GetObjectCommand({ Bucket, Key })).catch(nullIfAbsent)
    if (found === null) return 'missing'
    const isSame = await isContent(found.Body as Readable, upload)
    if (isSame && (await sizeOf(upload.sha256)) === null) {
      const CopySource = `${Bucket}/${Key}`
      const target = { Bucket, Key: contentKey(upload.sha256), CopySource, CopySourceIfMatch: found.ETag }
      await client.send(new CopyObjectCommand(target))
    }
    await client.send(new DeleteObjectCommand({ Bucket, Key }))
    return isSame ? 'stored' : 'different'
  }

  return {
    async put(content, bytes) {
      if ((await sizeOf(content.sha256)) !== null) return
      const upload = { ...content, scope: 'service' }
      const checked = checkedBytes(content)
      const failed = new AbortController()
      const object = { Bucket, Key: uploadKey(upload), Body: checked, ContentLength: content.bytes }
      const sent = client.send(new PutObjectCommand(object), { abortSignal: failed.signal })
      const source = streamOf(bytes)
      await Promise.all([sent, pipeline(source, checked).catch((error) => failWith(failed, error))])
      if ((await accept(upload)) !== 'stored') throw new RangeError('the bytes are not the announced ones')
    },
    stage: (bytes) => stageIn(client, { Bucket, Key: `${uploadPrefix}/staged/${newId()}` }, bytes, isStored),
    async get(sha256, maxBytes) {
      const range = maxBytes === undefined ? {} : { Range: `bytes=0-${maxBytes - 1}` }
      const read = new GetObjectCommand({ Bucket, Key: contentKey(sha256), ...range })
      const found = await client.send(read).catch(nullIfAbsent)
      if (found === null) throw new ArtifactMissing(sha256)
      return found.Body as Readable
    },
    stat: sizeOf,
    async delete(sha256) {
      await client.send(new DeleteObjectCommand({ Bucket, Key: contentKey(sha256) }))
    },
    async signUpload(upload, expiresAt) {
      const put = new PutObjectCommand({ Bucket, Key: uploadKey(upload), ContentLength: upload.bytes })
      return { url: await getSignedUrl(client, put, { expiresIn: secondsUntil(expiresAt) }), headers: {} }
    },
    accept,
    async signDownload({ sha256 }, expiresAt) {
      const read = new GetObjectCommand({ Bucket, Key: contentKey(sha256) })
      return { url: await getSignedUrl(client, read, { expiresIn: secondsUntil(expiresAt) }), headers: {} }
    },
    async sweepUploads(before) {
      await deleteUploads(client, Bucket, before)
      await abortUploads(client, Bucket, uploadPrefix, before)
    },
  }
}

async function deleteUploads(client: S3Client, Bucket: string, before: Date): Promise<void> {
  let ContinuationToken: string | undefined
  do {
    const list = new ListObjectsV2Command({ Bucket, Prefix: uploadPrefix, ContinuationToken })
    const page = await client.send(list)
    for (const { Key, LastModified } of page.Contents ?? []) {
      if (LastModified !== undefined && LastModified < before) {
        await client.send(new DeleteObjectCommand({ Bucket, Key }))
      }
    }
    ContinuationToken = page.NextContinuationToken
  } while (ContinuationToken !== undefined)
}

/** The client does not notice by itself that a body ended too early. */
function failWith(request: AbortController, error: unknown): never {
  request.abort()
  throw error
}

async function isContent(body: Readable, content: Content): Promise<boolean> {
  try {
    await pipeline(body, checkedBytes(content).resume())
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

function connect({ region, endpoint, credentials }: S3Options): S3Client {
  return new S3Client({
    region,
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(credentials === undefined ? {} : { credentials: { ...credentials } }),
    // Content is hashed here anyway, and stores that are not Amazon's refuse its newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    // It would write to the console. What fails is thrown.
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  })
}

function uploadKey({ scope, sha256 }: Upload): string {
  contentKey(sha256)
  return `${uploadPrefix}/${requireScope(scope)}/${sha256}`
}

function nullIfAbsent(error: unknown): null {
  if (error instanceof NoSuchKey || error instanceof NotFound) return null
  if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404) return null
  throw error
}

function ignore(): void {
  // See above.
}
