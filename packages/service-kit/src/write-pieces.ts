import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'

type Piece = string | Uint8Array

/** Bytes that wait for the client at most, one piece apart. */
const highWaterMark = 65_536

/**
 * Answers with pieces of text or bytes as fast as the client takes them, with the status that the response has. The first one is made before the head goes out, so
 * that a failure until then is an answer of its own; one that comes later cuts the answer off.
 */
export async function writePieces(response: Response, type: string, pieces: AsyncIterator<Piece>): Promise<void> {
  const first = await pieces.next()
  response.set({ 'content-type': type })
  const body = Readable.from(startingWith(first, pieces), { objectMode: false, highWaterMark })
  try {
    await pipeline(body, response)
  } catch (error) {
    // A client that left is no failure of ours.
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
