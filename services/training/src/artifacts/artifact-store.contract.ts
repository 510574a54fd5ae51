import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { ArtifactMissing, type ArtifactStore, type Content, type SignedUrl } from './artifact-store.ts'

/** A store, with the address that relative URLs belong to, and a clock that can be moved. */
export interface StoreUnderTest {
  readonly store: ArtifactStore
  readonly baseUrl: string
  /** Time of the store. */
  readonly now: () => Date
}

const contentOf = (bytes: Buffer): Content => ({
  sha256: createHash('sha256').update(bytes).digest('hex'),
  bytes: bytes.length,
})

/** What every store of artifacts does. `make` is called once, `label` makes contents of a run differ. */
export function describeArtifactStore(underTest: () => StoreUnderTest): void {
  const soon = () => new Date(underTest().now().getTime() + 60_000)
  const send = (signed: SignedUrl, body?: Buffer) => {
    const url = new URL(signed.url, underTest().baseUrl)
    const init = body === undefined ? {} : { method: 'PUT', body: new Uint8Array(body) }
    return fetch(url, { ...init, headers: { ...signed.headers } })
  }
  const read = async (sha256: string, maxBytes?: number) => buffer(await underTest().store.get(sha256, maxBytes))

  it('stores content, and reads all of it or its beginning', async () => {
    const { store } = underTest()
    const bytes = Buffer.from('some content')
    const content = contentOf(bytes)
    expect(await store.stat(content.sha256)).toBeNull()
    await store.put(content, bytes)
    await store.put(content, Readable.from([bytes]))
    expect(await store.stat(content.sha256)).toEqual({ bytes: bytes.length })
    expect(await read(content.sha256)).toEqual(bytes)
    expect((await read(content.sha256, 4)).toString()).toBe('some')
  })

  it('stores nothing that is not what was announced', async () => {
    const { store } = underTest()
    const content = contentOf(Buffer.from('announced'))
    for (const other of ['different', 'more than announced', 'less']) {
      const put = store.put(content, Buffer.from(other))
      await expect(put).rejects.toThrow(Error)
    }
    expect(await store.stat(content.sha256)).toBeNull()
  })

  it('stages bytes of unknown size and hash, and makes them content when they are kept', async () => {
    const { store } = underTest()
    for (const count of [0, 1, 3, 80]) {
      const piece = Buffer.alloc(262_144, count)
      const pieces = Array.from({ length: count }, () => piece)
      const staged = await store.stage(Readable.from(pieces))
      const content = contentOf(Buffer.concat(pieces))
      expect([staged.sha256, staged.bytes]).toEqual([content.sha256, content.bytes])
      expect(await store.stat(content.sha256)).toBeNull()
      await staged.keep()
      await staged.discard()
      expect(await store.stat(content.sha256)).toEqual({ bytes: content.bytes })
      expect(contentOf(await read(content.sha256))).toEqual(content)
      const again = await store.stage(Readable.from(pieces))
      await again.keep()
      await again.discard()
      expect(contentOf(await read(content.sha256))).toEqual(content)
    }
  }, 30_000)

  it('keeps nothing of staged bytes that are discarded, or end with an error', async () => {
    const { store } = underTest()
    const bytes = Buffer.from('discarded')
    const staged = await store.stage(Readable.from([bytes]))
    await staged.discard()
    expect(await store.stat(contentOf(bytes).sha256)).toBeNull()
    await expect(staged.keep()).rejects.toThrow()
    const broken = async function* () {
      for (let count = 0; count < 40; count += 1) yield Buffer.alloc(262_144)
      throw new Error('broken off')
    }
    await expect(store.stage(broken())).rejects.toThrow('broken off')
  })

  it('deletes content, and forgets it', async () => {
    const { store } = underTest()
    const bytes = Buffer.from('to be deleted')
    const content = contentOf(bytes)
    await store.put(content, bytes)
    await store.delete(content.sha256)
    await store.delete(content.sha256)
    expect(await store.stat(content.sha256)).toBeNull()
    await expect(store.get(content.sha256)).rejects.toThrow(ArtifactMissing)
  })

  it('refuses names that are no hashes', async () => {
    await expect(Promise.resolve().then(() => underTest().store.get('../../etc/passwd'))).rejects.toThrow(RangeError)
  })

  it('accepts an upload only when it is complete and equal', async () => {
    const { store } = underTest()
    const bytes = Buffer.from('an upload')
    const upload = { ...contentOf(bytes), scope: 'attempt-1' }
    expect(await store.accept(upload)).toBe('missing')
    const url = await store.signUpload(upload, soon())
    expect((await send(url, bytes)).ok).toBe(true)
    expect(await store.accept(upload)).toBe('stored')
    expect(await store.accept(upload)).toBe('missing')
    expect(await read(upload.sha256)).toEqual(bytes)
  })

  it('accepts nothing of somebody who did not upload it, although others have stored it', async () => {
    const { store } = underTest()
    const bytes = Buffer.from('of another workspace')
    const upload = { ...contentOf(bytes), scope: 'attempt-5' }
    await store.put(contentOf(bytes), bytes)
    expect(await store.accept(upload)).toBe('missing')
    const url = await store.signUpload(upload, soon())
    await send(url, Buffer.from('a guess of its bytes'))
    expect(await store.accept(upload)).not.toBe('stored')
    await send(url, bytes)
    expect(await store.accept({ ...upload, scope: 'attempt-6' })).toBe('missing')
    expect(await store.accept(upload)).toBe('stored')
    expect(await read(upload.sha256)).toEqual(bytes)
  })

  it('keeps content as it is when other bytes are uploaded under its name', async () => {
    const { store } = underTest()
    const bytes = Buffer.from('the right one')
    const upload = { ...contentOf(bytes), scope: 'attempt-2' }
    const url = await store.signUpload(upload, soon())
    await send(url, Buffer.from('the wrong one'))
    expect(await store.accept(upload)).not.toBe('stored')
    await send(url, bytes)
    expect(await store.accept(upload)).toBe('stored')
    await send(url, Buffer.from('the wrong one'))
    expect(await store.accept(upload)).not.toBe('stored')
    expect(await read(upload.sha256)).toEqual(bytes)
  })

  it('gives out content under a signed URL, which is good for nothing else', async () => {
    const { store } = underTest()
    const bytes = Buffer.from('to be downloaded')
    const other = Buffer.from('a secret of others')
    const [content, secret] = [contentOf(bytes), contentOf(other)]
    await store.put(content, bytes)
    await store.put(secret, other)
    const signed = await store.signDownload(content, soon())
    expect(Buffer.from(await (await send(signed)).arrayBuffer())).toEqual(bytes)
    const changed = { ...signed, url: signed.url.replace(content.sha256, secret.sha256) }
    expect((await send(changed)).ok).toBe(false)
    expect((await send(signed, Buffer.from('x'))).ok).toBe(false)
    expect(await read(content.sha256)).toEqual(bytes)
  })

  it('refuses an upload with another signature', async () => {
    const { store } = underTest()
    const bytes = Buffer.from('forged')
    const upload = { ...contentOf(bytes), scope: 'attempt-3' }
    const signed = await store.signUpload(upload, soon())
    const forged = { ...signed, url: signed.url.replace(/(ignature=)[0-9a-f]{8}/, '$100000000') }
    expect((await send(forged, bytes)).ok).toBe(false)
    expect(await store.accept(upload)).toBe('missing')
  })
}

/** The same, of what was uploaded and never accepted. */
export function describeUploadSweep(underTest: () => StoreUnderTest): void {
  it('removes uploads that were never accepted, and nothing else', async () => {
    const { store } = underTest()
    const bytes = Buffer.from('stays')
    const content = contentOf(bytes)
    await store.put(content, bytes)
    const upload = { ...contentOf(Buffer.from('abandoned')), scope: 'attempt-4' }
    const signed = await store.signUpload(upload, new Date(underTest().now().getTime() + 60_000))
    const url = new URL(signed.url, underTest().baseUrl)
    await fetch(url, { method: 'PUT', body: 'abandoned' })
    await store.sweepUploads(new Date(underTest().now().getTime() + 60_000))
    expect(await buffer(await store.get(content.sha256))).toEqual(bytes)
    expect(await store.accept(upload)).toBe('missing')
  })
}
