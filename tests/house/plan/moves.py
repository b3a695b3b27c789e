#!/usr/bin/env python3
"""usage: moves.py [DRAFT.txt] : holds a draft of rooms against the includes of the tree in the current folder.
DRAFT lines: `NEW_ROOM: FOLDER/stem stem stem ...` (FOLDER/ holds until the next)."""
import sys,pathlib,collections
sys.path.insert(0,'scripts')
import include_graph as g
def load(path):
    to={}
    for line in open(path):
        line=line.split('#')[0].strip()
        if not line: continue
        room,_,names=line.partition(':')
        folder=''
        for n in names.split():
            if '/' in n: folder,n=n.rsplit('/',1)
            to[f"{folder}/{n}"]=room.strip()
    return to
def base(p):
    s=str(p.parent/p.name.split('.')[0])
    return s
def room(p,to):
    s=base(p)
    for k in (s,s.removesuffix('_test')):
        if k in to: return to[k]
    return str(p.parent)
def main(draft,verbose=True):
    to=load(draft)
    files=g.includes(pathlib.Path('.'))
    prod={p:[h for h in hs if not g.is_test(h)] for p,hs in files.items() if not g.is_test(p)}
    have={base(p) for p in files}
    for k in to:
        if k not in have: print("NO SUCH FILE",k)
    ar=collections.defaultdict(list)
    for p,hs in prod.items():
        for h in hs:
            a,b=room(p,to),room(h,to)
            if a!=b: ar[a,b].append((str(p),str(h)))
    gr=g.neighbours(ar)
    cyc=g.cycles(gr)
    fl=g.floors(gr)
    print(len(gr),"rooms,",sum(map(len,gr.values())),"arrows,",max(fl.values())+1,"floors,",len(cyc),"cycles")
    for c in cyc:
        print("CYCLE",", ".join(c))
        for (a,b),l in sorted(ar.items(),key=lambda r:len(r[1])):
            if a in c and b in c:
                print(f"   {a} -> {b} ({len(l)})"+("" if len(l)>6 else "".join(f"\n        {x} -> {y}" for x,y in l)))
    if verbose:
        n=collections.Counter(); 
        for p in prod: n[room(p,to)]+=(pathlib.Path(p).read_text().count("\n"))
        for r in sorted(fl,key=lambda r:(-fl[r],r)): print(f"  {fl[r]:2} {r:28} {n[r]:6}")
main(sys.argv[1])
