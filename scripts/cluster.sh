#!/usr/bin/env bash
# Runs experiments on a Slurm cluster of two nodes, which it starts on this machine and
# ends, and compares the results with those of a run without Slurm, byte for byte:
#
#   - an experiment in nine tasks on both nodes, of which one task is killed by SIGKILL, and
#     one node dies with its daemon and its tasks: the job after the array submits what is
#     missing once more, and a submission after that has nothing to compute;
#   - one experiment that two users submit at the same time, with one store;
#   - a file that changes between submission and execution;
#   - a cell that fails;
#   - an array of eight tasks with --shard env/8.
#
# It takes a minute. It needs the commands of Slurm, on Debian: apt-get install
# --no-install-recommends slurm-wlm. It needs no munge, no service, no root; it listens on
# 127.0.0.1 only, and does not touch another Slurm.
set -euo pipefail
cd "$(dirname "$0")/.."

for command in slurmctld slurmd sbatch squeue scontrol; do
	if ! PATH=$PATH:/usr/sbin command -v $command >/dev/null; then
		echo "scripts/cluster.sh: $command is missing; on Debian: apt-get install --no-install-recommends slurm-wlm" >&2
		exit 2
	fi
done
PATH=$PATH:/usr/sbin
for name in $(compgen -e | grep -E '^(SLURM|SBATCH|SQUEUE|SCANCEL)_' || true); do unset "$name"; done # of a job that this may be

top=$(mktemp -d)
work="$top/a folder with 100 %d"
mkdir "$top/state" "$top/n1" "$top/n2" "$work"
daemons=()

# finish ends the daemons and what their jobs have left: all processes whose environment
# names the configuration of this cluster.
finish() {
	code=$?
	trap - EXIT
	if [ "$code" != 0 ]; then
		tail -n 5 "$top"/*.log "$work"/*.txt "$work"/out*/*/slurm/*.log >&2 || true
	fi
	kill -9 "${daemons[@]}" 2>/dev/null || true
	for process in /proc/[0-9]*; do
		if [ "${process#/proc/}" != $$ ] && grep -qzxF "SLURM_CONF=$SLURM_CONF" "$process/environ" 2>/dev/null; then
			kill -9 "${process#/proc/}" 2>/dev/null || true
		fi
	done
	rm -rf "$top"
	exit "$code"
}
trap finish EXIT
trap 'exit 130' INT TERM

say() { printf '== %3d s: %s\n' $SECONDS "$*"; }
fail() {
	echo "scripts/cluster.sh: $*" >&2
	exit 1
}

# free prints a port that nobody listens on, and that no other call has printed.
port=$((20000 + RANDOM % 10000))
free() {
	while port=$((port + 1)); (exec 3<>/dev/tcp/127.0.0.1/$port) 2>/dev/null; do :; done
}

# until_true SECONDS COMMAND… waits until the command succeeds.
until_true() {
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || fail "timed out: $*"
		sleep 0.2
	done
}

free; control=$port
free; first=$port
free; second=$port
export SLURM_CONF="$top/slurm.conf"
user=$(id -un)
cat >"$SLURM_CONF" <<CONF
ClusterName=ocobench
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$control
CommunicationParameters=DisableIPv6,NoInAddrAny,NoCtldInAddrAny
AuthType=auth/none
CredType=cred/none
AuthInfo=cred_expire=5
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
JobCompType=jobcomp/filetxt
JobCompLoc=$top/jobs.log
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
RequeueExit=99,137,143
SlurmUser=$user
SlurmdUser=$user
StateSaveLocation=$top/state
SlurmdSpoolDir=$top/%n
SlurmctldPidFile=$top/slurmctld.pid
SlurmdPidFile=$top/slurmd-%n.pid
SlurmctldLogFile=$top/slurmctld.log
SlurmdLogFile=$top/slurmd-%n.log
SlurmdTimeout=5
KillWait=2
SchedulerParameters=sched_interval=1,sched_min_interval=100000,bf_interval=1,batch_sched_delay=0
MpiDefault=none
NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$first CPUs=2
NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$second CPUs=2
PartitionName=all Nodes=ALL Default=YES
CONF

say "a cluster of two nodes"
go build -o "$top/bench" ./cmd/bench
bench=$top/bench
start() { # a daemon
	"$@" >/dev/null 2>&1 &
	daemons+=($!)
	disown
}
start slurmctld -D
start slurmd -D -N n1
start slurmd -D -N n2
node=${daemons[2]}
nodes_idle() { [ "$(sinfo -h -N -t idle -o %N | wc -l)" = 2 ]; }
until_true 30 nodes_idle
cd "$work"

cat >long.yaml <<'YAML'
name: long
horizon: 60000
replicates: 12
problems:   [{use: decaying-frequency, c: [0.5, 0.75, 1]}, {use: iid, dim: 3}]
algorithms: [{use: penalised-ftrl, gamma: 25}, {use: primal-dual, step: 5}, {use: ogd}]
YAML
cat >short.yaml <<'YAML'
name: short
horizon: 200
replicates: 2
problems:   [{use: trace, file: rounds.jsonl}, {use: fixed}, {use: iid}]
algorithms: [{use: penalised-ftrl}, {use: ogd}]
YAML
rounds() { # with these slopes of the loss
	echo '{"domain":{"box":{"lower":[-1],"upper":[1]}},"constraints":1}'
	for t in $(seq 200); do
		echo "{\"t\":$t,\"loss\":{\"form\":{\"lin\":[$1]}},\"constraints\":[{\"form\":{\"const\":-0.5,\"lin\":[1]}}]}"
	done
}

# gone reports whether Slurm has no job any more.
gone() { [ -z "$(squeue -h)" ]; }

# catch stops the tasks of the experiment file $1 that run on node $2, so that they do not end
# before they are killed, and has their processes in caught. It fails if there is none.
catch() {
	local process
	caught=()
	for process in $(pgrep -f "bench run $work/$1 .* --shard env/"); do
		if grep -qzxF "SLURMD_NODENAME=$2" "/proc/$process/environ" 2>/dev/null && kill -STOP "$process" 2>/dev/null; then
			caught+=("$process")
		fi
	done
	[ ${#caught[@]} -gt 0 ]
}
cells() { [ "$(find results/cells -name '*.cell' | wc -l)" -ge "$1" ]; } # at least so many

# array_of and next_of print the numbers of the jobs that the file $1 says were submitted.
array_of() { sed -nE 's/.* in job array ([0-9]+) of .*/\1/p' "$1"; }
next_of() { sed -nE 's/.*, and then job ([0-9]+);.*/\1/p' "$1"; }

say "nine tasks, one killed, and a node dies"
"$bench" slurm long.yaml --tasks 9 --time 5m >said.txt
cat said.txt
array=$(array_of said.txt)
next=$(next_of said.txt)
until_true 30 cells 5
until_true 20 catch long.yaml n1
kill -9 "${caught[0]}"
for process in "${caught[@]:1}"; do
	kill -CONT "$process"
done
until_true 20 catch long.yaml n2
kill -9 "$node"
for process in "${caught[@]}"; do # with the process that watches it
	kill -9 "$(awk '$1 == "PPid:" { print $2 }' "/proc/$process/status")" "$process"
done
"$bench" status long | tee status.txt
grep -qE '^long: [0-9]+ of 192 cells done, 0 failed, [1-9][0-9]* missing$' status.txt || fail "status"
grep -qE '^about .* left on one processor$' status.txt || fail "status has no time"
until_true 100 gone
"$bench" status long | tee status.txt
grep -q '^long: 192 of 192 cells done' status.txt || fail "cells are missing"
grep -hE 'begins|computed|missing|job array' out/long/slurm/*.log
again=$(array_of "out/long/slurm/$next.log")
[ -n "$again" ] || fail "nothing was submitted again"
[ -z "$(array_of "out/long/slurm/$(next_of "out/long/slurm/$next.log").log")" ] || fail "submitted more than twice"
[ "$(grep -l 'begins on n2' "out/long/slurm/$array"-*.log | xargs -d '\n' grep -l 'begins on n1' | wc -l)" -ge 1 ] || fail "no task of the node that died began on the other one"
for n in n1 n2; do
	grep -q "begins on $n" "out/long/slurm/$array"-*.log || fail "no task on $n"
done
[ "$(ls "out/long/slurm/$array"-*.log | wc -l)" = 9 ] || fail "no nine tasks"
cp -r out first-out
"$bench" slurm long.yaml >said.txt 2>again.txt
grep -q '^long: 0 cells computed, 192 found' again.txt || fail "a second submission: $(cat again.txt)"
cmp out/long/analysis.json first-out/long/analysis.json
start slurmd -D -N n2
until_true 30 nodes_idle

say "the same without Slurm"
"$bench" run long.yaml --store local --out local-out >/dev/null
same() { # EXPERIMENT STORE OUT
	for format in csv parquet txt; do
		"$bench" export --store "$2" --experiment "$1" --out "cluster.$format"
		"$bench" export --store local --experiment "$1" --out "local.$format"
		cmp "cluster.$format" "local.$format"
	done
	if [ -n "$3" ]; then
		cmp "$3/$1/analysis.json" "local-out/$1/analysis.json"
		cmp "$3/$1/tables/finals.txt" "local-out/$1/tables/finals.txt"
	fi
}
same long results out

say "two users"
rounds 1 >rounds.jsonl
for user in 1 2; do
	"$bench" slurm short.yaml --tasks 4 --store shared --out "out-$user" >said.txt
done
until_true 60 gone
cmp out-1/short/analysis.json out-2/short/analysis.json

say "a file that changes before the jobs begin"
"$bench" slurm short.yaml --sbatch=--hold >said.txt
rounds -1 >rounds.jsonl
scontrol release $(squeue -h -o %A | sort -u)
until_true 60 gone
"$bench" run short.yaml --store local --out local-out >/dev/null
same short results out

say "a cell that fails"
rounds 1e308 >rounds.jsonl
"$bench" slurm short.yaml >said.txt
next=$(next_of said.txt)
until_true 60 gone
scontrol show job "$next" | grep -q 'ExitCode=3:0' || fail "$(scontrol show job "$next")"
grep -E '^bench: ' "out/short/slurm/$next.log"
"$bench" status short | tee status.txt
grep -q '^failed: ' status.txt || fail "status"
[ -z "$(array_of "out/short/slurm/$next.log")" ] || fail "failed cells were submitted again"
"$bench" run short.yaml --store local --out local-out >/dev/null 2>&1 || [ $? = 3 ]

say "--shard env/8 in an array"
rounds 1 >rounds.jsonl
sbatch --parsable --array=0-7 --output="$top/shard-%a.log" --wrap "'$bench' run short.yaml --store shards --shard env/8" >/dev/null
until_true 60 gone
rm -rf local local-out
"$bench" run short.yaml --store local --out local-out >/dev/null
same short shards ""

say "all of it has the same bytes"
