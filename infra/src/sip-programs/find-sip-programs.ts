import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { findProgram } from '../processes/find-program.ts'
import { installInFolder } from '../processes/install-in-folder.ts'

/** Software of others that calls and is called by SIP: a telephone (baresip) and a source of load (sipp). */
export type SipPrograms =
  | {
      readonly kind: 'found'
      readonly baresip: string
      /** The folder of baresip's modules. */
      readonly baresipModules: string
      readonly sipp: string
      /** Of both programs, beside what a process inherits. */
      readonly env: Readonly<Record<string, string>>
    }
  | { readonly kind: 'missing'; readonly reason: string }

/** Of Debian 12 and Ubuntu. Their other libraries are on every machine with apt. */
const packages = [
  'baresip-core',
  'libre0',
  'librem0',
  'libsndfile1',
  'libflac12',
  'libvorbis0a',
  'libvorbisenc2',
  'libogg0',
  'libopus0',
  'libmpg123-0',
  'libmp3lame0',
  'sip-tester',
  'libgsl27',
  'libgslcblas0',
  'libpcap0.8',
  'libdbus-1-3',
  'libsctp1',
] as const
const advice = 'Install baresip and sipp (Debian: baresip-core and sip-tester) with your package manager.'

/** Set when the programs are missing: why. */
export const withoutSipPrograms = 'WITHOUT_SIP_PROGRAMS'

/** Those of this machine, else those of Debian's packages, unpacked in a folder of their own, which needs no root. */
export async function findSipPrograms(): Promise<SipPrograms> {
  const own = { baresip: findProgram('baresip'), sipp: findProgram('sipp') }
  const ownModules = ['/usr/lib/baresip/modules', '/usr/local/lib/baresip/modules'].find((folder) => existsSync(folder))
  if (own.baresip !== null && own.sipp !== null && ownModules !== undefined) {
    return { kind: 'found', baresip: own.baresip, sipp: own.sipp, baresipModules: ownModules, env: {} }
  }
  if (findProgram('apt-get') === null || findProgram('dpkg') === null) {
    return { kind: 'missing', reason: `baresip and sipp are missing, and there is no apt-get. ${advice}` }
  }
  const installed = await installInFolder({
    name: 'sip-programs-1',
    prepare: () => [
      ['apt-get', '-qq', 'download', ...packages],
      ['sh', '-c', 'for package in *.deb; do dpkg -x "$package" root || exit 1; done'],
    ],
  })
  if (installed.kind === 'failed') {
    return { kind: 'missing', reason: `apt-get has no baresip or sipp: ${installed.reason}. ${advice}` }
  }
  const usr = path.join(installed.folder, 'root', 'usr')
  const libraries = readdirSync(path.join(usr, 'lib')).filter((name) => name.endsWith('-linux-gnu'))
  return {
    kind: 'found',
    baresip: path.join(usr, 'bin', 'baresip'),
    sipp: path.join(usr, 'bin', 'sipp'),
    baresipModules: path.join(usr, 'lib', 'baresip', 'modules'),
    env: { LD_LIBRARY_PATH: libraries.map((name) => path.join(usr, 'lib', name)).join(':') },
  }
}
