import { isLeftOut, isRunNote } from './postgres-files.ts'

const excluded = [
  'postmaster.pid',
  'postmaster.opts',
  'backup_label',
  'tablespace_map.old',
  'pg_wal/000000010000000000000001',
  'pg_replslot/other/state',
  'pg_subtrans/0000',
  'base/5/pg_internal.init',
  'global/pg_internal.init.123',
  'base/pgsql_tmp/pgsql_tmp1.0',
]
const copied = [
  'PG_VERSION',
  'pg_wal',
  'global/pg_control',
  'base/5/1259',
  'base/5/1259_fsm',
  'pg_xact/0000',
  'pg_hba.conf',
]

it('leaves out files that a server creates at its start, and files that describe the current run', () => {
  expect(excluded.filter((file) => !isLeftOut(file))).toEqual([])
  expect(copied.filter(isLeftOut)).toEqual([])
})

it('leaves out of a stopped server’s copy only files that describe its run', () => {
  expect([...excluded, ...copied].filter(isRunNote)).toEqual(['postmaster.pid', 'postmaster.opts'])
})
