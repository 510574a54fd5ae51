import { createHash } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { downloadModelVersion, getModelVersion } from '@ratchet/contracts/model-versions'
import type { Api } from '../api/api-client.ts'
import type { ApiCommands } from '../api/api-commands.ts'
import { CliError } from '../cli-error.ts'
import { addVersionArgument } from './version-id.ts'

/** `versions download`: all files of a version and its card, each checked against its hash. */
export function addDownload({ group, run }: ApiCommands): void {
  addVersionArgument(group.command('download').description('Download the files of a version, and check their hashes.'))
    .requiredOption('--output <folder>', 'where to put them; it is made if it does not exist')
    .action((id: string, { output }: { readonly output: string }) =>
      run(async ({ connect }) => {
        const api = await connect()
        const { value } = await api.call(getModelVersion, { params: { id } })
        await mkdir(output, { recursive: true })
        for (const { name, sha256 } of value.files) await fetchFile(api, { id, output, name, sha256 })
        await fetchFile(api, { id, output, name: 'README.md', sha256: null })
        const names = [...value.files.map(({ name }) => name), 'README.md']
        return { json: { id, output, files: names }, text: `${names.length} files in ${output}: ${names.join(', ')}` }
      }),
    )
}

interface RemoteFile {
  readonly id: string
  readonly output: string
  readonly name: string
  /** Null when its content is not known before. */
  readonly sha256: string | null
}

/** The file appears under its name when it is complete and has the right hash. */
async function fetchFile(api: Api, { id, output, name, sha256 }: RemoteFile): Promise<void> {
  if (!/^[\w.-]+$/.test(name) || name.startsWith('.')) throw new CliError(`the version has a file with a wrong name`)
  const partial = join(output, `${name}.part`)
  const hash = createHash('sha256')
  const file = await open(partial, 'w').catch((cause: NodeJS.ErrnoException) => {
    throw new CliError(`${partial} cannot be written (${cause.code ?? cause.message})`, { cause })
  })
  try {
    for await (const piece of api.downloadBytes(downloadModelVersion, { params: { id }, query: { file: name } })) {
      hash.update(piece)
      await file.appendFile(piece)
    }
    await file.close()
    if (sha256 !== null && hash.digest('hex') !== sha256) throw new CliError(`${name} arrived with another hash`)
    await rename(partial, join(output, name))
  } catch (error) {
    await file.close().catch(() => undefined)
    await rm(partial, { force: true })
    throw error
  }
}
