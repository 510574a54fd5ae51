import { Button } from '@mantine/core'
import { type Alias, AliasSettings, PutAlias, putAlias } from '@ratchet/contracts/aliases'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { ApiError } from '../../../api/api-error.ts'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useKey } from '../../../keys/key-context.ts'
import { Card } from '../../../kit/page.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { toast } from '../../../kit/toast.tsx'
import { aliasReads } from '../alias-changes.ts'
import styles from '../aliases.module.css'
import { useOpenAlias } from '../detail/alias-context.ts'
import { useFieldWords } from '../use-field-words.ts'
import { errorsOf } from './alias-errors.ts'
import { changedFields } from './alias-fields.ts'
import { AliasForm } from './alias-form.tsx'
import { bodyOf, valuesOf } from './alias-values.ts'
import { ChangeList } from './change-list.tsx'
import { Conflict } from './conflict.tsx'
import { EvidenceCheck } from './evidence-check.tsx'
import { GatePlanLine } from './gate-plan-line.tsx'
import { disagreements, mergedValues } from './merge-values.ts'
import { movesOf } from './moves-of.ts'
import { SaveBar, type Saving, sentWith } from './save-bar.tsx'

const route = getRouteApi('/w/$slug/aliases/$name/routing')
const nothingSaid: Saving = { reason: '', force: false }

/** The whole alias as a form. What will change is shown before it is saved, and only the version that was read is replaced. */
export function RoutingTab(): ReactNode {
  const edit = useEdit()
  const { alias, base, values, changes, isStale, check, act, notPermitted } = edit
  const words = useFieldWords()
  const versions = { base: valuesOf(base), theirs: valuesOf(alias), mine: values }
  const after = AliasSettings.safeParse(bodyOf(values))
  return (
    <>
      {isStale && (
        <Conflict
          base={base}
          theirs={alias}
          found={disagreements(versions, words)}
          onMerge={() => edit.begin(alias, mergedValues(versions, words))}
          onDiscard={() => edit.begin(alias, valuesOf(alias))}
        />
      )}
      <div className={styles.form}>
        <Card>
          <AliasForm
            values={values}
            change={edit.change}
            errors={errorsOf(check.error?.issues ?? [])}
            isOff={notPermitted !== null}
          />
        </Card>
        <div className={styles.side}>
          <Card title="What will change">
            <div className={styles.stack}>
              {changes.length === 0 ? (
                <p className={`dimmed ${styles.line}`}>Nothing yet. This is version {base.version}.</p>
              ) : (
                <ChangeList changes={changes} />
              )}
              {after.success && <EvidenceCheck before={base} after={after.data} />}
              {values.gate_mode !== '' && values.gate_criterion_id !== '' && (
                <GatePlanLine name={base.name} values={values} />
              )}
              <SaveBar
                saving={edit.saving}
                onChange={edit.say}
                verb={`Save over version ${base.version}`}
                notPermitted={notPermitted}
                isOff={!edit.canSave}
                isRunning={act.isPending}
                onSave={edit.save}
                canForce={after.success && movesOf(base, after.data).length > 0}
              >
                {changes.length > 0 && (
                  <Button variant="default" onClick={() => edit.begin(alias, valuesOf(alias))}>
                    Undo all
                  </Button>
                )}
              </SaveBar>
              {act.error !== null && !isConflict(act.error) && <ErrorState error={act.error} />}
            </div>
          </Card>
        </div>
      </div>
    </>
  )
}

function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'version_conflict'
}

/** The form with the version that it began with. A form in which nothing is typed follows the saved version. */
function useEdit() {
  const { alias, reread } = useOpenAlias()
  const search = route.useSearch()
  const words = useFieldWords()
  const notPermitted = reasonAgainst('owner_admin', useWorkspace())
  const [base, setBase] = useState<Alias>(alias)
  const [values, setValues] = useState(() => ({ ...valuesOf(alias), ...search }))
  const [saving, setSaving] = useState(nothingSaid)
  const begin = (from: Alias, next = valuesOf(from)) => {
    setBase(from)
    setValues(next)
  }
  const act = useAct(putAlias, {
    changes: aliasReads,
    onDone: (saved) => {
      begin(saved)
      setSaving(nothingSaid)
      toast(`Version ${saved.version} is saved.`)
    },
  })
  const changes = changedFields(valuesOf(base), values, words)
  const isOther = !act.isPending && alias.version !== base.version
  const isTyped = changes.length > 0
  if (isOther && !isTyped) begin(alias)
  const body = { ...bodyOf(values), ...sentWith(saving) }
  const check = PutAlias.safeParse(body)
  const isStale = isOther && isTyped
  const canSave = isTyped && !isStale && check.success
  const save = () => act.mutate({ body, ifMatch: base.version }, { onError: () => void reread() })
  useKey('submit', save, { enabled: notPermitted === null && canSave && !act.isPending })
  return {
    alias,
    base,
    values,
    changes,
    isStale,
    check,
    act,
    notPermitted,
    saving,
    canSave,
    save,
    begin,
    change: (changed: Partial<typeof values>) => setValues((before) => ({ ...before, ...changed })),
    say: (changed: Partial<Saving>) => setSaving((before) => ({ ...before, ...changed })),
  }
}
