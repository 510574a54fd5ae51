import { type AliasGate, getAliasGate } from '@ratchet/contracts/alias-gate'
import { type Alias, getAlias } from '@ratchet/contracts/aliases'
import { Outlet, useParams } from '@tanstack/react-router'
import { type ReactNode, Suspense } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { usePolling } from '../../../api/use-polling.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { AboveList } from '../../../kit/above.tsx'
import { Page } from '../../../kit/page.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { RowsSkeleton } from '../../../kit/states/skeletons.tsx'
import { pagesBelow, TabLinks } from '../../../kit/tab-links.tsx'
import { isSplit, routeText } from '../alias-words.ts'
import styles from '../aliases.module.css'
import { AliasContext } from './alias-context.ts'
import { DeleteAlias } from './delete-alias.tsx'
import { GateBanner } from './gate-banner.tsx'
import { RollBackButton, RollBackOutcome, useRollBack } from './roll-back.tsx'

const tabs = [
  ['/routing', 'Routing'],
  ['/canary', 'Canary'],
  ['/audit', 'Audit'],
] as const

/** A decision of a gate must be on screen within seconds. */
const pollMs = 2_000

/** An alias: where its requests go, what its gate says, and its tabs. */
export function AliasLayout(): ReactNode {
  const { name = '' } = useParams({ strict: false })
  const topics = [`alias:${name}`] as const
  const alias = useEndpoint(getAlias, { params: { name } }, { topics })
  const gate = useEndpoint(getAliasGate, { params: { name } }, { topics })
  const read = () => Promise.all([alias.refetch(), gate.refetch()])
  usePolling(read, alias.data !== undefined && isSplit(alias.data), pollMs)
  const missing = alias.data === undefined ? alias : gate.data === undefined ? gate : null
  if (missing !== null) {
    return (
      <Page title={name} above={<AboveList of="aliases" />}>
        <Loaded<unknown> query={missing}>{() => null}</Loaded>
      </Page>
    )
  }
  return (
    <Loaded query={alias}>
      {(found) => (
        <Loaded query={gate}>{(seen) => <Body key={found.name} alias={found} gate={seen} reread={read} />}</Loaded>
      )}
    </Loaded>
  )
}

interface BodyProps {
  readonly alias: Alias
  readonly gate: AliasGate
  readonly reread: () => Promise<unknown>
}

function Body({ alias, gate, reread }: BodyProps): ReactNode {
  const slug = useWorkspaceSlug()
  const rollBack = useRollBack(alias)
  const { name } = alias
  return (
    <AliasContext value={{ alias, gate, reread }}>
      <Page
        title={name}
        lead={`${sentence(routeText(alias))}${alias.description === null ? '' : ` ${alias.description}`}`}
        above={<AboveList of="aliases" />}
        actions={
          <>
            <RollBackButton rollBack={rollBack} />
            <DeleteAlias alias={alias} />
          </>
        }
      >
        <RollBackOutcome rollBack={rollBack} />
        <GateBanner />
        <div>
          <TabLinks label="Alias" pages={pagesBelow(`/w/${slug}/aliases/${name}`, tabs)} />
          <div className={styles.tabBody}>
            <Suspense fallback={<RowsSkeleton />}>
              <Outlet />
            </Suspense>
          </div>
        </div>
      </Page>
    </AliasContext>
  )
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
