import pg from 'pg'
import { randomUUID } from 'node:crypto'
import { planSettings } from '../src/store/ledger-statements.ts'
const url = process.argv[3] ?? 'postgres://postgres:postgres@127.0.0.1:55432/ledger_dev'
const mk = async () => { const c = new pg.Client(url); await c.connect(); await c.query(planSettings); return c }
const ws = randomUUID()
const cs = await Promise.all(Array.from({length: 8}, mk))
await cs[0]!.query(`create table if not exists w2(id uuid primary key, version bigint) with (fillfactor=50)`)
await cs[0]!.query(`create table if not exists r2(rid uuid primary key, w uuid)`)
await cs[0]!.query(`insert into w2 values ($1,0)`, [ws])
const L = `l as materialized (select id, version v from w2 where id=any($2::uuid[]) order by id for no key update)`
const T: Record<string,string> = {
 ins: `with ${L}, ins as (insert into r2 select $1::uuid, l.id from l returning rid, w), u as (update w2 w set version=w.version+1 from (select w from ins group by 1) t where w.id=t.w returning w.version nv) select l.v, u.nv from l, u`,
 insconf: `with ${L}, ins as (insert into r2 select $1::uuid, l.id from l on conflict do nothing returning rid, w), u as (update w2 w set version=w.version+1 from (select w from ins group by 1) t where w.id=t.w returning w.version nv) select l.v, u.nv from l, u`,
 item: `with i as materialized (select * from unnest($1::uuid[],$2::uuid[]) t(rid,w)), ${L}, ins as (insert into r2 select i.rid, i.w from i join l on l.id=i.w returning rid, w), u as (update w2 w set version=w.version+1 from (select w from ins group by 1) t where w.id=t.w returning w.version nv) select l.v, u.nv from l, u`,
 itemlook: `with i as materialized (select t.* , k.w known from unnest($1::uuid[],$2::uuid[]) t(rid,w) left join lateral (select w from r2 where r2.rid=t.rid limit 1) k on true), ${L}, ins as (insert into r2 select i.rid, i.w from i join l on l.id=i.w where known is null returning rid, w), u as (update w2 w set version=w.version+1 from (select w from ins group by 1) t where w.id=t.w returning w.version nv) select l.v, u.nv from l, u`,
}
for (const k of Object.keys(T)) {
let ok = 0, bad = 0; const ex: any[] = []
const end = Date.now() + 2000
const scalar = k.startsWith('ins')
await Promise.all(cs.map(async c => { while (Date.now() < end) { const id = randomUUID(); const r = await c.query({ name: k, text: T[k]!, values: [scalar ? id : [id], [ws]] }); const row = r.rows[0]; if (row && BigInt(row.nv) === BigInt(row.v) + 1n) ok++; else { bad++; if (ex.length < 2) ex.push(row) } } }))
console.log(k, { ok, bad }, ex)
}
await Promise.all(cs.map(c => c.end()))
