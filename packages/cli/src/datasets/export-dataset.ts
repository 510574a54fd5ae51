import { exportDataset, getDataset } from '@ratchet/contracts/datasets'
import { Option } from 'commander'
import type { ApiCommands } from '../api/api-commands.ts'
import { type ExportPiece, writeExport } from '../export/write-export.ts'

const formats = exportDataset.query.shape.format.unwrap().options

interface Options {
  readonly format: (typeof formats)[number]
  readonly output?: string
}

export function addDatasetExport({ group, run }: ApiCommands): void {
  group
    .command('export')
    .description('Write the examples of a dataset to a file or to standard output.')
    .argument('<id>', 'the dataset')
    .addOption(new Option('--format <format>', 'openai is the format of trainers').choices(formats).default('openai'))
    .option('--output <file>', 'default: standard output')
    .action((id: string, { format, output }: Options) =>
      run(async ({ connect, io }) => {
        const api = await connect()
        const { value: dataset } = await api.call(getDataset, { params: { id } })
        const downloaded = api.download(exportDataset, { params: { id }, query: { format } })
        const target = { output, noun: 'examples', total: dataset.example_count }
        return writeExport(io, format === 'csv' ? rows(downloaded) : lines(downloaded), target)
      }, 0),
    )
}

async function* lines(texts: AsyncIterable<string>): AsyncGenerator<ExportPiece> {
  for await (const text of texts) yield { text, records: text.split('\n').length - 1 }
}

/** Rows end at line breaks outside of quotes; a quote within a cell is doubled. The first row is the heading. */
async function* rows(texts: AsyncIterable<string>): AsyncGenerator<ExportPiece> {
  let isQuoted = false
  let isHead = true
  for await (const text of texts) {
    let records = 0
    for (const mark of text.match(/["\n]/g) ?? []) {
      if (mark === '"') isQuoted = !isQuoted
      else if (!isQuoted && isHead) isHead = false
      else if (!isQuoted) records += 1
    }
    yield { text, records }
  }
}
