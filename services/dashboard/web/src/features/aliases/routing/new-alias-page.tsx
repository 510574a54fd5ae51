import { PutAlias, putAlias } from '@ratchet/contracts/aliases'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useKey } from '../../../keys/key-context.ts'
import { AboveList } from '../../../kit/above.tsx'
import { Card, Page } from '../../../kit/page.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { aliasReads } from '../alias-changes.ts'
import styles from '../aliases.module.css'
import { errorsOf } from './alias-errors.ts'
import { AliasForm } from './alias-form.tsx'
import { bodyOf, usualSettings, valuesOf } from './alias-values.ts'
import { SaveBar, type Saving, sentWith } from './save-bar.tsx'

const route = getRouteApi('/w/$slug/aliases/new')

/** A new alias. It never replaces one that exists. */
export function NewAliasPage(): ReactNode {
  const { slug } = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate()
  const notPermitted = reasonAgainst('owner_admin', useWorkspace())
  const [values, setValues] = useState(() => ({ ...valuesOf(usualSettings), ...search }))
  const [saving, setSaving] = useState<Saving>({ reason: '', force: false })
  const act = useAct(putAlias, {
    changes: aliasReads,
    onDone: ({ name }) => void navigate({ to: '/w/$slug/aliases/$name', params: { slug, name } }),
  })
  const body = { ...bodyOf(values), ...sentWith(saving) }
  const check = PutAlias.safeParse(body)
  const save = () => act.mutate({ body, ifAbsent: true })
  useKey('submit', save, { enabled: notPermitted === null && check.success && !act.isPending })
  return (
    <Page
      title="New alias"
      lead="Applications name it instead of a model. The name of a model cannot be taken."
      above={<AboveList of="aliases" />}
    >
      <div className={styles.form}>
        <Card>
          <AliasForm
            isNew
            values={values}
            change={(changed) => setValues((before) => ({ ...before, ...changed }))}
            errors={errorsOf(check.error?.issues ?? [])}
            isOff={notPermitted !== null}
          />
        </Card>
        <div className={styles.side}>
          <Card>
            <SaveBar
              saving={saving}
              onChange={(changed) => setSaving((before) => ({ ...before, ...changed }))}
              verb="Create the alias"
              notPermitted={notPermitted}
              isOff={!check.success}
              isRunning={act.isPending}
              onSave={save}
              canForce={false}
            />
            {act.error !== null && <ErrorState error={act.error} />}
          </Card>
        </div>
      </div>
    </Page>
  )
}
