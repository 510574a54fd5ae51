import { serveModelVersion, unserveModelVersion } from '@ratchet/contracts/model-version-changes'
import type { ModelVersion } from '@ratchet/contracts/model-versions'
import type { ApiCommands } from '../api/api-commands.ts'
import { addVersionArgument } from './version-id.ts'

/** `versions serve` and `versions unserve`: whether engines of the pool answer as a version. */
export function addServing({ group, run }: ApiCommands): void {
  addVersionArgument(
    group.command('serve').description('Have engines that share its base model serve a version, paid by the token.'),
  ).action((id: string) =>
    run(async ({ connect }) => {
      const { value, json } = await (await connect()).call(serveModelVersion, { params: { id }, body: { in: 'pool' } })
      return { json, text: `${value.model_id}: ${servingText(value.serving)}` }
    }),
  )
  addVersionArgument(group.command('unserve').description('Stop serving a version in the pool.')).action((id: string) =>
    run(async ({ connect }) => {
      const { value, json } = await (await connect()).call(unserveModelVersion, { params: { id } })
      return { json, text: `${value.model_id}: ${servingText(value.serving)}` }
    }),
  )
}

/** What answers requests to a version, in words. */
export function servingText({ pool, pool_error: error, provider }: ModelVersion['serving']): string {
  const byProvider = provider === null ? '' : `, answered by ${provider}`
  switch (pool) {
    case 'none':
      return provider === null ? 'nothing serves it' : `answered by ${provider}`
    case 'loading':
      return `the pool loads it${byProvider}`
    case 'ready':
      return 'served by the pool'
    case 'failed':
      return `the pool cannot serve it: ${error ?? 'unknown'}${byProvider}`
  }
}
