import { Command, CommanderError } from 'commander'
import { addMember } from './admin/add-member.ts'
import type { AdminCommands } from './admin/admin-commands.ts'
import { auditLedgerCommand } from './admin/audit-ledger.ts'
import { listBudgetsCommand, removeBudgetCommand, setBudget } from './admin/budgets.ts'
import { createKey } from './admin/create-key.ts'
import { createUser } from './admin/create-user.ts'
import { createVoiceKey } from './admin/create-voice-key.ts'
import { createWorkspace } from './admin/create-workspace.ts'
import { erasePerson } from './admin/erase-person.ts'
import { limitKey } from './admin/limit-key.ts'
import { listKeys } from './admin/list-keys.ts'
import { listProviderKeys } from './admin/list-provider-keys.ts'
import { listWork } from './admin/list-work.ts'
import { removeProviderKey } from './admin/remove-provider-key.ts'
import { resealSecrets } from './admin/reseal-secrets.ts'
import { retryWork } from './admin/retry-work.ts'
import { revokeKey } from './admin/revoke-key.ts'
import { setProviderKey } from './admin/set-provider-key.ts'
import { setWorkspace } from './admin/set-workspace.ts'
import { setupLink } from './admin/setup-link.ts'
import { topUp } from './admin/top-up.ts'
import { usage } from './admin/usage.ts'
import { wallet } from './admin/wallet.ts'
import { deleteAlias } from './alias/delete-alias.ts'
import { listAliases } from './alias/list-aliases.ts'
import { listEvents } from './alias/list-events.ts'
import { rollBackAlias } from './alias/roll-back-alias.ts'
import { setAlias } from './alias/set-alias.ts'
import { showGate } from './alias/show-gate.ts'
import { showPlan } from './alias/show-plan.ts'
import { type Answer, printAnswer } from './answer.ts'
import { type ApiCommands, apiDeps } from './api/api-commands.ts'
import { exportAuditLog } from './audit-log/export-audit-log.ts'
import { verifyAuditLog } from './audit-log/verify-audit-log.ts'
import { catalogCommands } from './catalog/catalog-commands.ts'
import type { CliIo } from './cli-io.ts'
import { connectAgents } from './connect/connect-agent.ts'
import { showAgreement } from './eval/agreement.ts'
import { checkEval } from './eval/check-eval.ts'
import { compareAnswers } from './eval/compare-answers.ts'
import { exportEval } from './eval/export-eval.ts'
import { listEvals } from './eval/list-evals.ts'
import { planEval } from './eval/plan-eval.ts'
import { runEval } from './eval/run-eval.ts'
import { watchEval } from './eval/watch-eval.ts'
import { addLoopCommands } from './loop-commands.ts'
import { status } from './status.ts'
import { withoutControls } from './text/printable.ts'
import { withDatabase } from './with-database.ts'

interface GlobalOptions {
  readonly json?: true
  readonly databaseUrl?: string
}

/** All commands of `ratchet` with `io`. A command that ran calls `onExit` with its exit code. */
export function buildProgram(io: CliIo, onExit: (code: number) => void): Command {
  const program = new Command('ratchet')
    .description('Operate a Ratchet deployment.')
    .option('--json', 'print JSON instead of text')
    .exitOverride(exitWith(2))
    .configureOutput({
      writeOut: io.stdout,
      writeErr: io.stderr,
      outputError: (text, write) => write(`${text.trim().replaceAll('\n', ' ')}\n`),
    })
  const print = (answer: Answer) => {
    printAnswer(answer, program.opts<GlobalOptions>().json === true, io)
    onExit(answer.exitCode ?? 0)
  }
  program
    .command('status')
    .description('Show the address of the fleet of `npm start` and whether it is ready. Exit code 1 when it is not.')
    .action(async () => print(await status(io)))
  catalogCommands(program, io, print)
  connectAgents(program, io, print)
  const evals = addApiGroup(program, 'eval', { io, print, onExit })
  // Exit code 2 means a failed check; scripts must not confuse a wrong option with it.
  evals.group.description('Compare models on logged prompts, before one replaces another.').exitOverride(exitWith(1))
  for (const add of [planEval, runEval, watchEval, checkEval, listEvals, exportEval]) add(evals)
  for (const add of [compareAnswers, showAgreement]) add(evals)
  evals.group.alias('evals')
  addLoopCommands((name) => addApiGroup(program, name, { io, print, onExit }))
  const aliases = addApiGroup(program, 'alias', { io, print, onExit })
  aliases.group
    .alias('aliases')
    .description('Names that route to models: change the model, start a canary, roll it back.')
  for (const add of [setAlias, listAliases, showGate, showPlan, rollBackAlias, deleteAlias, listEvents]) add(aliases)
  addAdminCommands(program, io, print)
  return program
}

/** The exit code is 0 for --help and `code` for wrong usage. */
function exitWith(code: number): (error: CommanderError) => never {
  return ({ exitCode, code: kind, message }) => {
    throw new CommanderError(exitCode === 0 ? 0 : code, kind, message)
  }
}

interface Printing {
  readonly io: CliIo
  readonly print: (answer: Answer) => void
  readonly onExit: (code: number) => void
}

/** A group of commands that call the API of a deployment. */
function addApiGroup(program: Command, name: string, { io, print, onExit }: Printing): ApiCommands {
  const group = program
    .command(name)
    .option('--base-url <url>', 'default: RATCHET_BASE_URL, else the fleet of `npm start`')
    .option('--api-key <key>', 'default: RATCHET_API_KEY, else the key of that fleet; other programs can see options')
  return {
    group,
    run: async (work, silentExitCode = 1) => {
      const answer = await work(apiDeps(group.opts(), io))
      if (answer === null) onExit(silentExitCode)
      else print(withoutControls(answer))
    },
  }
}

function addAdminCommands(program: Command, io: CliIo, print: (answer: Answer) => void): void {
  const admin = program
    .command('admin')
    .description('Workspaces, users, API keys, credit and settings. Writes directly to the database.')
    .option('--database-url <url>', 'default: DATABASE_URL, else the fleet of `npm start`')
  const commands: AdminCommands = {
    admin,
    run: (work, options) => {
      const { databaseUrl } = admin.opts<GlobalOptions>()
      return withDatabase(databaseUrl, io.env, async (database) => print(await work({ ...database, ...io })), options)
    },
  }
  for (const add of [
    createWorkspace,
    createUser,
    addMember,
    createKey,
    createVoiceKey,
    listKeys,
    revokeKey,
    topUp,
    wallet,
    usage,
  ]) {
    add(commands)
  }
  for (const add of [auditLedgerCommand, resealSecrets, setupLink]) add(commands)
  const group = (name: string, description: string) => ({
    ...commands,
    admin: admin.command(name).description(description),
  })
  setWorkspace(group('workspace', 'Settings of a workspace.'))
  limitKey(group('key', 'Settings of an API key.'))
  const auditLog = group('audit-log', 'The sealed log of what was changed in a workspace, and by whom.')
  exportAuditLog(auditLog)
  verifyAuditLog(auditLog.admin, print)
  const budgets = group('budget', 'What a workspace, a key, an end user or a tag may spend.')
  for (const add of [setBudget, listBudgetsCommand, removeBudgetCommand]) add(budgets)
  erasePerson(commands)
  const providerKeys = group('provider-key', 'Provider keys of workspaces. They are never printed.')
  for (const add of [setProviderKey, listProviderKeys, removeProviderKey]) add(providerKeys)
  const backgroundWork = group('work', 'Work of judges, evals and shadows, including dead-lettered work.')
  for (const add of [listWork, retryWork]) add(backgroundWork)
}
