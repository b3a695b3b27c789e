#!/usr/bin/env python3
"""Applies the renames of one folder to a tree.

usage: rename.py count            writes renames.tsv with uses, from renames.txt
       rename.py apply FOLDER     in the git tree of the current folder

Files: `git mv` of FOLDER/OLD{,_test}.* ; every path FOLDER/OLD.ext in C++,
Python, CMake, Markdown, TSV and scripts; in CMake lists the path relative to
the list; bare `OLD.ext` in backticks or comments where that name was unique.
The test suite OldTest follows.  type: \\bOld\\b in C++ of the whole tree.
word: \\bold_?\\b in C++ of files that include the header named, and its pair.
"""
import os, pathlib, re, subprocess, sys
HERE = pathlib.Path(__file__).resolve().parent
ROWS = [line.split("|") for line in (HERE/"renames.txt").read_text().splitlines()
        if line and not line.startswith("#")]
TEXT = (".h",".cc",".cu",".py",".in",".md",".txt",".cmake",".tsv",".sql",".json",".ts",".svelte",".mjs",".session","")
CODE = (".h",".cc",".cu",".in")

def git(*a, check=True):
    return subprocess.run(["git",*a],check=check,text=True,stdout=subprocess.PIPE).stdout

def camel(stem): return "".join(p.capitalize() for p in stem.split("_"))

def files(): return [pathlib.PurePosixPath(n) for n in git("ls-files").splitlines()]

def stem_of(p):
    s=p.name.split(".")[0]
    return s

def rewrite(names, change, suffixes):
    n=0
    for p in names:
        if p.suffix not in suffixes or p.parts[0]=="data" or p.name=="CHANGELOG.md": continue
        if not os.path.isfile(p) or os.path.islink(p): continue
        try: old=open(p,encoding="utf-8",newline="").read()
        except UnicodeDecodeError: continue
        new=change(p,old)
        if new!=old:
            open(p,"w",encoding="utf-8",newline="").write(new); n+=1
    return n

def move_files(folder, rows):
    names=files(); base={}
    for p in names: base.setdefault(p.name,[]).append(p)
    moves=[]
    for _,_,old,new,_ in rows:
        o,_,oe=old.partition("."); n=new.partition(".")[0]
        for p in names:
            if str(p.parent)==folder and stem_of(p) in (o,o+"_test"):
                if oe and p.suffix!="."+oe: continue
                to=p.parent/(n+p.name[len(o):])
                assert not os.path.exists(to), to
                moves.append((p,to))
    for p,to in moves: git("mv",str(p),str(to))
    table={str(p):str(to) for p,to in moves}
    unique={p.name:to.name for p,to in moves if len(base[p.name])==1}
    if not table: return 0,0
    full=re.compile(r"(?<![\w/-])("+"|".join(map(re.escape,sorted(table,key=len,reverse=True)))+r")(?![\w])")
    bare=re.compile(r"(?<![\w/.-])("+"|".join(map(re.escape,sorted(unique,key=len,reverse=True)))+r")(?![\w])") if unique else None
    suites={camel(o)+"Test":camel(n)+"Test" for o,n in ((r[2].partition(".")[0],r[3].partition(".")[0]) for r in rows)}
    suite=re.compile(r"\b("+"|".join(suites)+r")\b")
    rel={}
    for p,to in moves:
        d=p.parent
        while True:
            rel.setdefault(str(d),{})[os.path.relpath(p,d)]=os.path.relpath(to,d)
            if d==d.parent: break
            d=d.parent
    def change(p,text):
        text=full.sub(lambda m:table[m[1]],text)
        if p.name=="CMakeLists.txt":
            # as ../FOLDER/x.cc, too
            here=dict(rel.get(str(p.parent),{}))
            for a,b in table.items(): here[os.path.relpath(a,p.parent)]=os.path.relpath(b,p.parent)
            if here:
                text=re.sub(r"(?<![\w/.-])("+"|".join(map(re.escape,sorted(here,key=len,reverse=True)))+r")(?![\w])",lambda m:here[m[1]],text)
        elif bare: text=bare.sub(lambda m:unique[m[1]],text)
        if p.suffix in (".h",".cc"): text=suite.sub(lambda m:suites[m[1]],text)
        return text
    return len(moves),rewrite(files(),change,TEXT)

def includers(header):
    out=set(git("grep","-l",f'#include "{header}"',"--","*.h","*.cc",check=False).split())
    stem=header[:-2]
    out|={n for n in (header,stem+".cc",stem+"_test.cc") if os.path.exists(n)}
    out|={n[:-2]+e for n in list(out) if n.endswith(".h") for e in (".cc","_test.cc") if os.path.exists(n[:-2]+e)}
    return {pathlib.PurePosixPath(n) for n in out}

def apply(folder):
    rows=[r for r in ROWS if r[0]==folder]
    scopes={r[2]:includers(r[2].partition("@")[2]) for r in rows if r[1]=="word"}
    types={r[2]:r[3] for r in rows if r[1]=="type"}
    moved=move_files(folder,[r for r in rows if r[1]=="file"])
    changed=0
    if types:
        # Suites and fixtures follow their type.
        pattern=re.compile(r"\b("+"|".join(sorted(types,key=len,reverse=True))+r")(Test|Fixture)?\b")
        changed+=rewrite(files(),lambda p,t:pattern.sub(lambda m:types[m[1]]+(m[2] or ""),t),CODE+(".md",))
    now={old:new for old,new in ((r[2],r[3]) for r in rows if r[1]=="word")}
    for old,new in now.items():
        word=old.partition("@")[0]
        pattern=re.compile(r"\b"+word+r"(_?)\b")
        moved_to={f"{folder}/{r[2].partition('.')[0]}{t}{e}":f"{folder}/{r[3].partition('.')[0]}{t}{e}" for r in rows if r[1]=="file" for t in ("","_test") for e in (".h",".cc")}
        scope={moved_to.get(str(p),str(p)) for p in scopes[old]}
        alive=[p for p in files() if str(p) in scope or p.name.startswith(stem_of(pathlib.PurePosixPath(next((r[3] for r in rows if r[1]=="file" and old.endswith("/"+r[2]+".h")),"?"))))]
        changed+=rewrite(alive,lambda p,t:"\n".join(l if l.startswith("#include") else pattern.sub(new+r"\1",l) for l in t.split("\n")),CODE)
    cc=[n for n in git("diff","--name-only","HEAD").split() if n.endswith((".h",".cc")) and os.path.exists(n)]
    cc+=[n for n in git("diff","--name-only","--cached","HEAD").split() if n.endswith((".h",".cc")) and os.path.exists(n)]
    if cc: subprocess.run(["clang-format","-i",*sorted(set(cc))],check=True)
    print(f"{folder}: {moved[0]} files moved, {moved[1]} rewritten for paths, {changed} for names; {len(set(cc))} formatted")

def count():
    out=["folder\tkind\told\tnew\tuses\tfiles\twhy"]
    names=files()
    for folder,kind,old,new,why in ROWS:
        word=old.partition("@")[0]
        if kind=="file":
            have=[p for p in names if str(p.parent)==folder and stem_of(p) in (word.split(".")[0],word.split(".")[0]+"_test")]
            if not have: out.append(f"{folder}\t{kind}\t{old}\t{new}\t0\t0\tGONE: {why}"); continue
            res=git("grep","-cE",rf"{re.escape(folder)}/{re.escape(word.split('.')[0])}(_test)?\.",check=False).splitlines()
        else:
            res=git("grep","-cwE",word+"_?","--","*.h","*.cc","*.cu",check=False).splitlines()
        uses=sum(int(l.rsplit(":",1)[1]) for l in res)
        out.append(f"{folder}\t{kind}\t{old}\t{new}\t{uses}\t{len(res)}\t{why}")
    (HERE/"renames.tsv").write_text("\n".join(out)+"\n")
    print(len(ROWS),"rows;",sum("GONE" in l for l in out),"gone")

if __name__=="__main__":
    count() if sys.argv[1]=="count" else apply(sys.argv[2])
