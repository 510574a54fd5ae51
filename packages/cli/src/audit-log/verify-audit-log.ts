import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import type { Answer } from '../answer.ts'
import { CliError } from '../cli-error.ts'
import { BrokenChain, type ChainEnd, createChainCheck } from './audit-chain.ts'

interface Options {
  readonly head?: string
}

/** Needs no database and no deployment: whoever has the file can check it. */
export function verifyAuditLog(group: Command, print: (answer: Answer) => void): void {
  group
    .command('verify')
    .description('Check that an exported log is complete and unchanged. Exit code 1 when it is not.')
    .argument('<file>', 'what `ratchet admin audit-log export` wrote')
    .option('--head <hash>', 'the hash that an earlier check printed: the log has to go on from there')
    .action(async (file: string, options: Options) => print(await verify(file, options)))
}

async function verify(file: string, { head }: Options): Promise<Answer> {
  const check = createChainCheck()
  let isHeadSeen = head === undefined || head === check.end().hash
  try {
    for await (const line of createInterface({
      input: createReadStream(file, 'utf8'),
      crlfDelay: Number.POSITIVE_INFINITY,
    })) {
      if (line === '') continue
      check.add(line)
      isHeadSeen ||= check.end().hash === head
    }
  } catch (error) {
    if (error instanceof BrokenChain) return broken(check.end(), error.message)
    throw new CliError(`<file>: ${(error as Error).message}`, { cause: error })
  }
  const end = check.end()
  if (!isHeadSeen) return broken(end, `no entry has the hash ${head}: the log was written anew, or cut before it`)
  const { entries, erased, hash } = end
  const without = erased === 0 ? '' : `, ${erased} of them without the text that was erased with a person`
  return {
    json: { ok: true, entries, erased, head: hash },
    text: `the log is complete and unchanged: ${entries} entries${without}\nhead  ${hash}`,
    note: 'Keep the head: a later export has to contain it.',
  }
}

function broken({ entries }: ChainEnd, reason: string): Answer {
  return {
    json: { ok: false, entries, reason },
    text: `the log is broken: ${reason} (${entries} entries before it are right)`,
    exitCode: 1,
  }
}
