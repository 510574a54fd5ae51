import { createHash } from 'node:crypto'
import { z } from 'zod'

/** One line of an exported log. */
const Line = z.object({
  position: z.int().min(1),
  /** Empty when it was erased together with a person. */
  content: z.string(),
  /** Only of an entry whose content was erased. */
  digest: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
})
export type ChainLine = z.infer<typeof Line>

export interface ChainEnd {
  readonly entries: number
  /** Entries whose content was erased. Their digests prove that they were there. */
  readonly erased: number
  /** Of the last entry, in hex. A log that goes on from here has it at the same position. */
  readonly hash: string
}

/** An entry that is not what was sealed, or is not there. */
export class BrokenChain extends Error {
  override name = 'BrokenChain'
}

const beforeFirst = '00'.repeat(32)

/** Checks lines in their order. */
export function createChainCheck() {
  let end: ChainEnd = { entries: 0, erased: 0, hash: beforeFirst }
  return {
    /** @throws BrokenChain when the line does not follow from those before */
    add(text: string): void {
      const position = end.entries + 1
      const line = lineOf(text, position)
      if (line.position !== position) {
        throw new BrokenChain(`entry ${position} is missing: line ${position} has the position ${line.position}`)
      }
      const hash = hashOf(end.hash, line)
      if (hash !== line.hash) throw new BrokenChain(`entry ${position} is not what was sealed`)
      end = { entries: position, erased: end.erased + (line.content === '' ? 1 : 0), hash }
    },
    end: () => end,
  }
}

function lineOf(text: string, position: number): ChainLine {
  try {
    return Line.parse(JSON.parse(text))
  } catch {
    throw new BrokenChain(`line ${position} is no entry of an audit log`)
  }
}

/** What the database computes when it adds an entry. */
function hashOf(before: string, { position, content, digest: erased }: ChainLine): string {
  const place = Buffer.alloc(8)
  place.writeBigInt64BE(BigInt(position))
  const isErased = content === '' && erased !== undefined
  const digest = isErased ? Buffer.from(erased, 'hex') : createHash('sha256').update(content, 'utf8').digest()
  return createHash('sha256').update(Buffer.from(before, 'hex')).update(place).update(digest).digest('hex')
}
