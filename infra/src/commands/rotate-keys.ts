import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { dataPaths, repositoryRoot } from '../fleet/data-paths.ts'
import {
  type CallerStep,
  chooseKeysFile,
  type EditKeys,
  editEnvFile,
  editSecretsFile,
  type RotatedKeys,
  type RotationStep,
  rotateKeys,
} from '../ops/rotate-keys.ts'
import { ReadableError, runCommand } from '../terminal/readable-error.ts'
import { stdoutTerminal } from '../terminal/stdout-terminal.ts'

type Step = RotationStep | CallerStep

const usage =
  'Name the keys and the step: npm run rotate-keys -- identity|encryption add|promote|drop [file], or identity share|derive [file]. The file is .env of docker compose or secrets.json of `npm start`. If both exist, name one.'
const next: Readonly<Record<Step, string>> = {
  add: 'Every process must know the new key before it is used: restart all processes, one after the other, then promote.',
  promote: 'Processes use the new key from their next start: restart all of them, one after the other, then drop.',
  drop: 'The old key is removed from the file: restart all processes, one after the other.',
  share:
    'Callers have the keys of their callees, as in releases without keys for each caller. Set ACCEPT_SHARED_KEYS=true, install the release, then derive.',
  derive:
    'Every caller has keys of its own for each callee. Restart all processes, remove ACCEPT_SHARED_KEYS, and rotate the identity keys.',
}

await runCommand(async () => {
  const [which, step, named, ...more] = parseArgs({ allowPositionals: true }).positionals
  if (!isOneOf(which, ['identity', 'encryption']) || more.length > 0) throw new ReadableError(usage)
  if (!isOneOf(step, ['add', 'promote', 'drop', ...(which === 'identity' ? (['share', 'derive'] as const) : [])])) {
    throw new ReadableError(usage)
  }
  const file = named === undefined ? foundFile() : path.resolve(process.env.INIT_CWD ?? '.', named)
  edit(file, which, step)
  const terminal = stdoutTerminal()
  terminal.line(`▸ ${file}: ${which} keys, ${step}`)
  terminal.line(`  ${next[step]}`)
  if (which === 'encryption' && step === 'promote') {
    terminal.line(
      '  Before you drop the old key, run `npx ratchet admin reseal-secrets` until it says that other keys can be removed.',
    )
  }
})

function foundFile(): string {
  const ofCompose = path.join(repositoryRoot, '.env')
  const { secretsFile } = dataPaths(process.env.RATCHET_DATA_DIR)
  return chooseKeysFile([ofCompose, secretsFile].filter((file) => existsSync(file)))
}

/** Replaces the file atomically; only its owner can read it. */
function edit(file: string, which: RotatedKeys, step: Step): void {
  if (!existsSync(file)) throw new ReadableError(`There is no ${file}.`)
  const editFile = file.endsWith('.json') ? editSecretsFile : editEnvFile
  const isOfCallers = step === 'share' || step === 'derive'
  if (isOfCallers && file.endsWith('.json')) throw new ReadableError('`npm start` derives these keys at every start.')
  const editKeys: EditKeys = (keys) => (isOfCallers ? keys : rotateKeys(keys, step, randomBytes))
  const text = editFile(readFileSync(file, 'utf8'), which, editKeys, step === 'share')
  const draft = `${file}.${process.pid}.tmp`
  writeFileSync(draft, text, { mode: 0o600 })
  chmodSync(draft, 0o600)
  renameSync(draft, file)
}

function isOneOf<const Value extends string>(text: string | undefined, values: readonly Value[]): text is Value {
  return (values as readonly (string | undefined)[]).includes(text)
}
