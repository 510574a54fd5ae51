import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { contentKey, type StagedContent } from './artifact-store.ts'
import { measuredBytes } from './measured-bytes.ts'

/** Where an object of unknown size is stored. */
interface StagedKey {
  readonly Bucket: string
  readonly Key: string
}

/** Stages bytes in a bucket. @param isStored whether there is content with this hash */
export async function stageIn(
  client: S3Client,
  at: StagedKey,
  bytes: AsyncIterable<Uint8Array>,
  isStored: (sha256: string) => Promise<boolean>,
): Promise<StagedContent> {
  const measured = measuredBytes()
  const ETag = await uploadInParts(client, at, measured.through(bytes))
  const content = measured.read()
  return {
    ...content,
    async keep() {
      if (await isStored(content.sha256)) return
      const { Bucket, Key } = at
      const target = { Bucket, Key: contentKey(content.sha256) }
      await client.send(new CopyObjectCommand({ ...target, CopySource: `${Bucket}/${Key}`, CopySourceIfMatch: ETag }))
    },
    discard: async () => void (await client.send(new DeleteObjectCommand(at))),
  }
}

/** Bytes of a part, which is as many as are in memory. Buckets take at most 10,000 parts, and none under 5 MiB but the last. */
const partBytes = 8 * 1024 * 1024

/**
 * Stores bytes whose number is not known before, in parts. Nothing remains when they end with an error.
 *
 * @returns the version of the object
 */
async function uploadInParts(
  client: S3Client,
  at: StagedKey,
  bytes: AsyncIterable<Uint8Array>,
): Promise<string | undefined> {
  const parts = partsOf(bytes)
  const first = await parts.next()
  const second = await parts.next()
  if (second.done === true) {
    return (await client.send(new PutObjectCommand({ ...at, Body: first.value ?? Buffer.alloc(0) }))).ETag
  }
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(at))
  const upload = { ...at, UploadId }
  try {
    const Parts: CompletedPart[] = []
    const send = async (Body: Buffer) => {
      const PartNumber = Parts.length + 1
      const { ETag } = await client.send(new UploadPartCommand({ ...upload, PartNumber, Body }))
      Parts.push({ PartNumber, ETag })
    }
    await send(first.value ?? Buffer.alloc(0))
    await send(second.value)
    for await (const part of parts) await send(part)
    return (await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }))).ETag
  } catch (error) {
    await client.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined)
    throw error
  }
}

async function* partsOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, undefined> {
  let room = Buffer.allocUnsafe(partBytes)
  let length = 0
  for await (const piece of bytes) {
    for (let from = 0; from < piece.length; ) {
      const taken = piece.subarray(from, from + room.length - length)
      room.set(taken, length)
      length += taken.length
      from += taken.length
      if (length < room.length) continue
      yield room
      // The one before may still be sent again.
      room = Buffer.allocUnsafe(partBytes)
      length = 0
    }
  }
  if (length > 0) yield room.subarray(0, length)
}

/** Ends uploads in parts that a process left behind. Stores that cannot list them end them by a rule of their own. */
export async function abortUploads(client: S3Client, Bucket: string, Prefix: string, before: Date): Promise<void> {
  const list = new ListMultipartUploadsCommand({ Bucket, Prefix })
  const { Uploads = [] } = await client.send(list).catch(noneIfUnknown)
  for (const { Key, UploadId, Initiated } of Uploads) {
    if (Key === undefined || Initiated === undefined || Initiated >= before) continue
    await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
  }
}

function noneIfUnknown(error: unknown): { readonly Uploads?: never[] } {
  if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 501) return {}
  throw error
}
