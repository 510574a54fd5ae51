import { spawnSync } from 'node:child_process'
import { chownSync } from 'node:fs'
import { ReadableError } from './readable-error.ts'

/** How to start a program that refuses to run as root. */
export interface PostgresUser {
  /** The words to put before the program; empty when `user` is enough. */
  readonly prefix: readonly string[]
  readonly user?: { readonly uid: number; readonly gid: number }
  /** Hands a file or folder to that user. */
  own(path: string): void
}

/**
 * Postgres refuses to run as root, so root runs it as `postgres` (created when missing). That user often cannot reach
 * a folder below /root: then the program keeps the right to pass through other users' folders, and nothing else.
 *
 * @param program must be executable by the user
 * @param folder must be writable by root
 */
export function postgresUser(program: string, folder: string): PostgresUser {
  if (process.getuid?.() !== 0) return { prefix: [], own: () => undefined }
  const user = findUser('postgres') ?? createUser() ?? findUser('nobody')
  if (user === null) throw new ReadableError('Postgres refuses to run as root and there is no other user to run it as.')
  const own = (path: string) => chownSync(path, user.uid, user.gid)
  if (canReach(user, program, folder)) return { prefix: [], user, own }
  const ids = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups']
  // Without this security bit the kernel ignores the right where a program asks beforehand what it may do.
  const rights = ['--securebits=+no_setuid_fixup', '--inh-caps=+dac_override', '--ambient-caps=+dac_override']
  const prefix = ['setpriv', ...ids, ...rights, '--']
  if (run([...prefix, program, '--version'])) return { prefix, own }
  throw new ReadableError(
    `Postgres refuses to run as root, and no other user may read ${folder}. Put the repository where every user may ` +
      'pass through (not below /root), start it as another user, or set DATABASE_URL.',
  )
}

function findUser(name: string): { uid: number; gid: number } | null {
  const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout?.trim())
  return uid === undefined || gid === undefined || uid === '' || gid === ''
    ? null
    : { uid: Number(uid), gid: Number(gid) }
}

function createUser(): { uid: number; gid: number } | null {
  run(['groupadd', '--system', 'postgres'])
  run(['useradd', '--system', '--no-create-home', '--gid', 'postgres', 'postgres'])
  return findUser('postgres')
}

function canReach(user: { uid: number; gid: number }, program: string, folder: string): boolean {
  const test = ['-c', 'test -x "$0" && test -x "$1"', program, folder]
  return spawnSync('/bin/sh', test, { ...user, stdio: 'ignore', cwd: '/' }).status === 0
}

function run([command = '', ...args]: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore', cwd: '/' }).status === 0
}
