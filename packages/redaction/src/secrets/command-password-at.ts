import { alphabets } from './alphabets.ts'
import type { SecretSpan } from './secret-span.ts'
import { isPlaceholderValue } from './secret-value.ts'
import type { TextView } from './text-view.ts'

/** How a program takes a password. */
interface Command {
  /** The words that begin the command line, such as `docker login`. */
  readonly name: string
  /** What stands before the password, with the blank before it. */
  readonly flag: string
  /** Whether the password may follow the flag directly, or behind a blank. */
  readonly takes: 'attached' | 'separate' | 'both'
}

const mysqlPrograms = `mysql mysqldump mysqladmin mysqlimport mysqlcheck mysqlshow mysqlpump mysqlslap mysqlbinlog mariadb
  mariadb-dump mariadb-admin mariadb-import mariadb-check mariadb-show mariadb-backup xtrabackup mydumper`
const mongoPrograms = 'mongo mongosh mongodump mongorestore mongoexport mongoimport mongostat'
const ldapPrograms = 'ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami'

const commands: readonly Command[] = [
  ...mysqlPrograms.split(/\s+/).map((name): Command => ({ name, flag: ' -p', takes: 'attached' })),
  ...mongoPrograms.split(' ').map((name): Command => ({ name, flag: ' -p', takes: 'separate' })),
  ...ldapPrograms.split(' ').map((name): Command => ({ name, flag: ' -w', takes: 'separate' })),
  { name: 'sshpass', flag: ' -p', takes: 'both' },
  { name: 'redis-cli', flag: ' -a', takes: 'separate' },
  { name: 'docker login', flag: ' -p', takes: 'separate' },
  { name: 'podman login', flag: ' -p', takes: 'separate' },
  { name: 'helm registry login', flag: ' -p', takes: 'separate' },
  { name: 'az login', flag: ' -p', takes: 'separate' },
  { name: 'sqlcmd', flag: ' -P', takes: 'both' },
  { name: 'bcp', flag: ' -P', takes: 'both' },
]

/** The beginnings of command lines that may contain a password. */
export const commandNames: readonly string[] = commands.map(({ name }) => `${name} `)

const byBeginning = new Map<string, readonly Command[]>()
for (const command of commands) {
  const beginning = command.name.slice(0, 3)
  byBeginning.set(beginning, [...(byBeginning.get(beginning) ?? []), command])
}

/** Where another command begins in the same line. */
const separator = /[;|&]/
/** Maximum length from the name of a program to its flag, and of a password. */
const maxLength = 512
const minPasswordLength = 3

/** Finds the password in the command line that begins at `at`, as in `mysql -u app -pSECRET`. */
export function commandPasswordAt(view: TextView, at: number): SecretSpan | null {
  const { text } = view
  const candidates = byBeginning.get(text.slice(at, at + 3))
  const command = candidates?.find(({ name }) => text.startsWith(`${name} `, at))
  if (command === undefined) return null
  const flag = view.next(command.flag, at)
  const line = view.next('\n', at)
  if (flag < 0 || flag - at > maxLength || (line >= 0 && line < flag)) return null
  if (separator.test(text.slice(at, flag))) return null
  const after = flag + command.flag.length
  const isSeparate = text.charAt(after) === ' '
  if (command.takes === (isSeparate ? 'attached' : 'separate')) return null
  return valueAt(view, isSeparate ? after + 1 : after)
}

function valueAt(view: TextView, from: number): SecretSpan | null {
  const { text } = view
  const quote = text.charAt(from)
  const closing = quote === '"' || quote === "'" ? view.next(quote, from + 1) : -1
  const start = closing < 0 ? from : from + 1
  const end = closing < 0 ? view.runEnd(alphabets.bare, from) : closing
  if (end - start < minPasswordLength || end - start > maxLength) return null
  const value = text.slice(start, end)
  // Another flag, or a reference to a variable, takes the place of the password.
  if (value.startsWith('-') || value.startsWith('$') || value.includes('\n') || isPlaceholderValue(value)) return null
  return { start, end, kind: 'password' }
}
