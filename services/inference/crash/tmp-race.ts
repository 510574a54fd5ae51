import pg from 'pg'
import { ledgerStatements as S, planSettings } from '../src/store/ledger-statements.ts'
import { randomUUID } from 'node:crypto'
const url = 'postgres://postgres:postgres@127.0.0.1:55432/ledger_dev'
const settings = process.argv[2] === 'plain' ? 'select 1' : process.argv[2] === 'nobitmap' ? planSettings + '; set enable_bitmapscan=off' : planSettings
const mk = async () => { const c = new pg.Client(url); await c.connect(); await c.query(settings); return c }
const ws = randomUUID()
const cs = await Promise.all(Array.from({length: 8}, mk))
await cs[0]!.query(`insert into workspace values ($1::uuid,$1::text,'x',now())`, [ws])
await cs[0]!.query(`insert into wallet(workspace_id,balance) values ($1,3500)`, [ws])
const V: Record<string,(t: string)=>string> = { forupdate: t => t.replace('FOR NO KEY UPDATE','FOR UPDATE'), nosort: t => t.replace('ORDER BY workspace_id FOR','FOR'), eq: t => t.replace('WHERE workspace_id = ANY($2::uuid[]) ORDER BY workspace_id', 'WHERE workspace_id = ($2::uuid[])[1]'), cols: t => t.replace('balance - held AS available','balance, held').replace('wanted <= available','wanted <= balance - held'), none: t => t }
const text = V[process.argv[3] ?? 'none']!(S.hold) /*VARIANT*/
const hold = (c: pg.Client, id = randomUUID()) => c.query({ name: 'h', text, values: [[id],[ws],[1000],['c'],['m'],['1'],ws,1000] }).then(r => ({ id, o: r.rows[0].outcome }))
const close = (c: pg.Client, id: string) => c.query({ name: 'c', text: S.close, values: [[id],[ws],[0],['voided']] })
let held = 0, refused = 0, fail = 0
const end = Date.now() + 4000
await Promise.all(cs.map(async c => { while (Date.now() < end) { try { const r = await hold(c); if (r.o === 'held') { held++; await close(c, r.id) } else refused++ } catch (e: any) { if (fail++ < 2) console.log(e.message, e.detail) } } }))
console.log({ held, refused, fail })
await Promise.all(cs.map(c => c.end()))
