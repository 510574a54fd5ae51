import { spawnSync } from 'node:child_process'
import { chownSync } from 'node:fs'
import { ReadableError } from '../terminal/readable-error.ts'

/** How to start a program that refuses to run as root. */
export interface PostgresUser {
  /** Words to put before the program; empty when setting `user` is enough. */
  readonly prefix: readonly string[]
  readonly user?: { readonly uid: number; readonly gid: number }
  /** Makes the user the owner of a file or folder. */
  own(path: string): void
}

/**
 * Postgres refuses to run as root, so root runs it as `postgres` (created when missing). That user often cannot reach a
 * folder below /root. In this case the program gets one capability: to pass through folders of other users.
 *
 * @param program must be executable by the user
 * @param folder must be writable by root
 */
export function postgresUser(program: string, folder: string): PostgresUser {
  if (process.getuid?.() !== 0) return { prefix: [], own: () => undefined }
  const user = findUser('postgres') ?? createUser() ?? findUser('nobody')
  if (user === null)
    throw new ReadableError('Postgres refuses to run as root, and no other user could be found or created.')
  const own = (path: string) => chownSync(path, user.uid, user.gid)
  if (canReach(user, program, folder)) return { prefix: [], user, own }
  const ids = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups']
  // Without this security bit, access(2) ignores the capability.
  const rights = ['--securebits=+no_setuid_fixup', '--inh-caps=+dac_override', '--ambient-caps=+dac_override']
  const prefix = ['setpriv', ...ids, ...rights, '--']
  if (run([...prefix, program, '--version'])) return { prefix, own }
  throw new ReadableError(
    `Postgres refuses to run as root, and no other user may read ${folder}. Move the repository to a folder that every user ` +
      'may enter (not below /root), start it as another user, or set DATABASE_URL.',
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
