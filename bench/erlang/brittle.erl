%% The child that is killed: a gen_server that fails when it is told to.
-module(brittle).
-behaviour(gen_server).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2]).

init({Driver, Id}) ->
    Driver ! {ready, Id, self()},
    {ok, Id}.

handle_call(_, _, Id) -> {reply, ok, Id}.

handle_cast(_, Id) -> {noreply, Id}.

handle_info(crash, _) -> error(told_to).
