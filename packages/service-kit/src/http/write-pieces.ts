import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'

type Piece = string | Uint8Array

/** Maximum bytes that wait for the client, plus one piece. */
const highWaterMark = 65_536

/**
 * Writes pieces of text or bytes as fast as the client reads them, with the status that the response has. The first piece
 * is created before the head is sent, so that an error until then has its own answer; a later error cuts the answer.
 */
export async function writePieces(response: Response, type: string, pieces: AsyncIterator<Piece>): Promise<void> {
  const first = await pieces.next()
  response.set({ 'content-type': type })
  const body = Readable.from(startingWith(first, pieces), { objectMode: false, highWaterMark })
  try {
    await pipeline(body, response)
  } catch (error) {
    // A client that disconnected is not an internal failure.
    if ((error as { code?: unknown }).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
}

async function* startingWith(first: IteratorResult<Piece>, rest: AsyncIterator<Piece>): AsyncGenerator<Piece, void> {
  try {
    for (let piece = first; piece.done !== true; piece = await rest.next())
      if (piece.value.length > 0) yield piece.value
  } finally {
    await rest.return?.()
  }
}
