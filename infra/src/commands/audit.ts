import { allowances } from '../audit/allowances.ts'
import { judgeAudit } from '../audit/judge-audit.ts'
import { ReadableError, runCommand } from '../readable-error.ts'
import { runProgram } from '../run-program.ts'
import { onStopSignals } from '../stop-signals.ts'

/* Asks the registry what is known against the packages of the lockfile: `npm run audit`. */
const interrupted = new AbortController()
onStopSignals({ stop: async () => interrupted.abort(), hurry: () => process.exit(1) })

await runCommand(async () => {
  const { output } = await runProgram({
    command: 'pnpm',
    args: ['audit', '--json'],
    env: process.env,
    signal: interrupted.signal,
    timeoutMs: 120_000,
  })
  const judged = judgeAudit(output, allowances, new Date().toISOString().slice(0, 10))
  if (judged === null) {
    throw new ReadableError(`The registry answered no audit, so nothing is known:\n${output.trim().slice(0, 500)}`)
  }
  for (const line of judged.lines) console.log(line)
  if (!judged.ok) throw new ReadableError('Upgrade what is marked, or allow it in infra/src/audit/allowances.ts.')
  console.log('✓ nothing of weight is known against the packages of the lockfile')
})
