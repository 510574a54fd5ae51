import type { Command } from 'commander'
import type { Answer } from '../answer.ts'
import type { CliIo } from '../cli-io.ts'
import { catalogCheck } from './catalog-check.ts'
import { catalogDiff, catalogPropose } from './catalog-diff.ts'

const folderText = 'catalog files of a deployment, mounted over the built-in ones'
const listText = "a file or https URL in the form of LiteLLM's model_prices_and_context_window.json"

/** `ratchet catalog …`: works on files, without a deployment. */
export function catalogCommands(program: Command, io: CliIo, print: (answer: Answer) => void): void {
  const group = program.command('catalog').description('The model catalog.')
  group
    .command('check')
    .description('Check the built-in catalog, optionally with a folder or file that a deployment mounts over it.')
    .argument('[folder]', 'catalog files of a deployment')
    .action(async (folder: string | undefined) => print(await catalogCheck(folder)))
  group
    .command('diff')
    .description('Compare the prices of the catalog with a price list. Exit code 1 when some differ.')
    .argument('<list>', listText)
    .argument('[folder]', folderText)
    .action(async (list: string, folder: string | undefined) => print(await catalogDiff(list, folder)))
  group
    .command('propose')
    .description('Print a catalog file with the prices of a list, to be mounted as CATALOG_DIR.')
    .argument('<list>', listText)
    .argument('[folder]', folderText)
    .option('--add <model...>', 'models of the list that the catalog does not have, as <provider>/<name>', [])
    .action(async (list: string, mounted: string | undefined, { add: added }: { readonly add: readonly string[] }) =>
      print(await catalogPropose(list, { mounted, added, now: io.now() })),
    )
}
