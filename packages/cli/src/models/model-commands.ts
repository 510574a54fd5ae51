import { listModels, type Model } from '@ratchet/contracts/models'
import type { ApiCommands } from '../api/api-commands.ts'
import { addList } from '../api/list-command.ts'

export function modelCommands(commands: ApiCommands): void {
  addList<typeof listModels, Model>(commands, {
    name: 'list',
    description: 'List the models that can be called, with prices in USD per million tokens.',
    endpoint: listModels,
    heading: ['MODEL', 'INPUT', 'OUTPUT', 'CONTEXT', 'CAPABILITIES'],
    rowOf: ({ id, pricing, context_window: context, capabilities }) => [
      id,
      String(pricing.input_per_mtok),
      String(pricing.output_per_mtok),
      String(context),
      capabilities.join(', '),
    ],
    empty: 'no models; set the key of a provider',
  })
}
