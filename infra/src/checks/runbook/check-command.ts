import type { ShellCommand } from './shell-commands.ts'

/** The part of Commander's `Command` that is read here. */
export interface KnownCommand {
  readonly commands: readonly (KnownCommand & { name(): string })[]
  readonly options: readonly {
    readonly long?: string | null | undefined
    readonly required: boolean
    readonly optional: boolean
    readonly mandatory: boolean
  }[]
  readonly registeredArguments: readonly { readonly required: boolean }[]
}

/** Names that commands may use. */
export interface Known {
  /** Scripts of package.json. */
  readonly npmScripts: ReadonlySet<string>
  readonly ratchet: KnownCommand
  readonly composeServices: ReadonlySet<string>
  /** Names of the fleet's Deployments. */
  readonly deployments: ReadonlySet<string>
}

/** @returns the problem of a command, or null; the command is not run */
export function checkCommand([program = '', ...rest]: ShellCommand, known: Known): string | null {
  const check = programs[program]
  return check === undefined ? `there is no check for ${program}` : check(rest, known)
}

type Check = (words: readonly string[], known: Known) => string | null

const anything: Check = () => null

const programs: Readonly<Record<string, Check>> = {
  npm: checkNpm,
  npx: ([name, ...words], { ratchet }) =>
    name === 'ratchet' ? checkRatchet(words, ratchet) : `npx ${name} is not a program of Ratchet`,
  docker: ([name, ...words], known) =>
    name === 'compose' ? checkCompose(words, known) : `docker ${name}: use compose`,
  kubectl: checkKubectl,
  psql: anything,
  pg_dump: anything,
  pg_restore: anything,
  mv: anything,
}

function checkNpm(words: readonly string[], { npmScripts }: Known): string | null {
  const [verb = '', name] = words.filter((word) => word !== '--silent')
  const script = verb === 'run' ? (name ?? '') : verb
  if (verb === 'install') return null
  return npmScripts.has(script) ? null : `there is no npm script ${script}`
}

/** Follows the words from the program to a subcommand; options of every command on this path are allowed. */
export function checkRatchet(words: readonly string[], program: KnownCommand): string | null {
  let command = program
  let options = [...program.options]
  const given = new Set<string>()
  let operands = 0
  for (let index = 0; index < words.length; index++) {
    const [word = '', inlineValue] = (words[index] ?? '').split('=')
    if (word.startsWith('--')) {
      const option = options.find(({ long }) => long === word)
      if (word === '--help') return null
      if (option === undefined) return `there is no option ${word}`
      given.add(word)
      if ((option.required || option.optional) && inlineValue === undefined) index += 1
    } else {
      const next = command.commands.find((each) => each.name() === word)
      if (next !== undefined) {
        command = next
        options = [...options, ...next.options]
      } else if (command.commands.length > 0) return `there is no command ${word}`
      else operands += 1
    }
  }
  return missingPart(command, given, operands)
}

function missingPart(command: KnownCommand, given: ReadonlySet<string>, operands: number): string | null {
  if (command.commands.length > 0) return 'it names no command'
  const lacking = command.options.find(({ long, mandatory }) => mandatory && !given.has(long ?? ''))
  if (lacking !== undefined) return `it needs ${lacking.long}`
  if (operands > command.registeredArguments.length) return 'it has too many words'
  return operands < command.registeredArguments.filter(({ required }) => required).length
    ? 'it has too few words'
    : null
}

/** Verbs of Docker Compose of which every word, or only the first one, is the name of a service. */
const ofServices = new Set(['up', 'stop', 'restart', 'build', 'logs'])
const ofOneService = new Set(['exec', 'run'])

function checkCompose([verb = '', ...words]: readonly string[], { composeServices, ratchet }: Known): string | null {
  if (!ofServices.has(verb) && !ofOneService.has(verb)) return `there is no check for docker compose ${verb}`
  const [first = '', ...rest] = words.slice(words.findIndex((word) => !word.startsWith('-')))
  const names = words.filter((word) => !word.startsWith('-'))
  const outsiders = (ofOneService.has(verb) ? [first] : names).filter((name) => !composeServices.has(name))
  if (outsiders.length > 0) return `docker-compose.yml has no ${outsiders.join(', ')}`
  return verb === 'run' && first === 'ratchet' ? checkRatchet(rest, ratchet) : null
}

function checkKubectl(words: readonly string[], { deployments }: Known): string | null {
  const named = words.flatMap((word) => /^deployment\/(.+)$/.exec(word)?.[1] ?? [])
  const outsiders = named.filter((name) => !deployments.has(name))
  return outsiders.length === 0 ? null : `there is no deployment ${outsiders.join(', ')}`
}
